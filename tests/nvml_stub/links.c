/* The wires: PCIe, NVLink, the way between two cards, and the processors near a card. */

#include "nvml_stub.h"

CARD_NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, unsigned int, card->pcie_gen)
CARD_NUMBER(nvmlDeviceGetCurrPcieLinkWidth, unsigned int, card->pcie_width)
CARD_NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, unsigned int, card->pcie_gen_max)
CARD_NUMBER(nvmlDeviceGetMaxPcieLinkWidth, unsigned int, card->pcie_width_max)
CARD_NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, unsigned int, card->pcie_gen_card)
CARD_NUMBER(nvmlDeviceGetPcieReplayCounter, unsigned int, card->replays)

static long long pcie_mbps(const struct card *card) {
    static const long long speeds[] = {2500, 5000, 8000, 16000, 32000, 64000};
    long long generation = card->pcie_gen;
    return generation >= 1 && generation <= 6 ? speeds[generation - 1] : ABSENT;
}

CARD_NUMBER(nvmlDeviceGetPcieSpeed, unsigned int, pcie_mbps(card))

/* In KB/s, over the last 20 ms. */
CALL(nvmlDeviceGetPcieThroughput, handle device, unsigned int counter, unsigned int *kilobytes) {
    ENTER_CARD(nvmlDeviceGetPcieThroughput, device);
    REQUIRE(counter < 2);
    long long rate = counter == 0 ? card->pcie_tx : card->pcie_rx;
    GIVE(kilobytes, rate == ABSENT ? ABSENT : rate / 1000);
    return OK;
}

/* -3: to bytes that are no address. */
int stub_remote_card(const struct card *card, int link) {
    if (machine.wiring == WIRED_TO_NONSENSE)
        return -3;
    int index = stub_index_of(card), others = machine.cards - 1;
    if (machine.wiring == WIRED_TO_SWITCH)
        return -1;
    if (machine.wiring == WIRED_IN_PAIRS)
        return (index ^ 1) < machine.cards ? index ^ 1 : -2;
    /* A mesh gives every other card as many links; what is left over is not in use. */
    if (others < 1 || link >= (int)card->nvlinks / others * others)
        return -2;
    return (index + 1 + link % others) % machine.cards;
}

static int up(const struct card *card, unsigned int link) {
    return !(card->nvlink_down >> link & 1) && stub_remote_card(card, (int)link) != -2;
}

/* Link L carries L / 100 more than link 0 out of the card, and half of that into it. */
u64 stub_nvlink_bytes(const struct card *card, int link, int receive) {
    double rate = 0.0;
    for (int at = 0; at < (int)card->nvlinks; at++)
        if ((link < 0 || at == link) && up(card, (unsigned int)at))
            rate += (double)card->nvlink_rate * (1.0 + at / 100.0) * (receive ? 0.5 : 1.0);
    return (u64)(rate * stub_elapsed());
}

static answer check_link(const struct card *card, unsigned int link) {
    if (card->nvlinks == 0 || stub_mig_on(card))
        return NOT_SUPPORTED;
    REQUIRE(link < (unsigned int)card->nvlinks);
    return OK;
}

CALL(nvmlDeviceGetNvLinkState, handle device, unsigned int link, unsigned int *active) {
    ENTER_CARD(nvmlDeviceGetNvLinkState, device);
    OR_RETURN(check_link(card, link));
    GIVE(active, up(card, link));
    return OK;
}

CALL(nvmlDeviceGetNvLinkVersion, handle device, unsigned int link, unsigned int *version) {
    ENTER_CARD(nvmlDeviceGetNvLinkVersion, device);
    OR_RETURN(check_link(card, link));
    GIVE(version, card->nvlink_version);
    return OK;
}

CALL(nvmlDeviceGetNvLinkRemoteDeviceType, handle device, unsigned int link,
     unsigned int *type) {
    ENTER_CARD(nvmlDeviceGetNvLinkRemoteDeviceType, device);
    OR_RETURN(check_link(card, link));
    int remote = stub_remote_card(card, (int)link);
    GIVE(type, remote == -1 ? 2 : remote == -2 ? 0xFF : remote == -3 ? 77 : 0);
    return OK;
}

CALL(nvmlDeviceGetNvLinkCapability, handle device, unsigned int link, unsigned int capability,
     unsigned int *has) {
    ENTER_CARD(nvmlDeviceGetNvLinkCapability, device);
    OR_RETURN(check_link(card, link));
    REQUIRE(capability < 6);
    GIVE(has, capability == 4 ? 0 : up(card, link)); /* 4: a bridge between two cards */
    return OK;
}

/* Two cards share a switch, four a NUMA node, the rest is across sockets. */
CALL(nvmlDeviceGetTopologyCommonAncestor, handle one, handle other, unsigned int *level) {
    ENTER_CARD(nvmlDeviceGetTopologyCommonAncestor, one);
    struct card *second = NULL;
    OR_RETURN(stub_card_of(other, &second, NULL));
    OR_RETURN(stub_refusal(&symbol_nvmlDeviceGetTopologyCommonAncestor, stub_index_of(second)));
    int a = stub_index_of(card), b = stub_index_of(second);
    GIVE(level, machine.ancestor ? machine.ancestor : a == b ? 0 : a / 2 == b / 2 ? 10 : a / 4 == b / 4 ? 40 : 50);
    return OK;
}

CALL(nvmlDeviceGetP2PStatus, handle one, handle other, unsigned int which,
     unsigned int *status) {
    enum { NVLINK = 2, HIGHEST = 4, STATUS_NOT_SUPPORTED = 5 };
    ENTER_CARD(nvmlDeviceGetP2PStatus, one);
    struct card *second = NULL;
    OR_RETURN(stub_card_of(other, &second, NULL));
    OR_RETURN(stub_refusal(&symbol_nvmlDeviceGetP2PStatus, stub_index_of(second)));
    REQUIRE(which <= HIGHEST && second != card);
    int wireless = which == NVLINK && (card->nvlinks == 0 || second->nvlinks == 0);
    GIVE(status, wireless ? STATUS_NOT_SUPPORTED : machine.p2p);
    return OK;
}

/* A socket has 64 processors, and half of the cards. */
CALL(nvmlDeviceGetCpuAffinity, handle device, unsigned int size, unsigned long *set) {
    ENTER_CARD(nvmlDeviceGetCpuAffinity, device);
    REQUIRE(size > 0 && set);
    for (unsigned int i = 0; i < size; i++)
        set[i] = i == (unsigned int)card->numa % size ? ~0ul : 0ul;
    return OK;
}

CALL(nvmlDeviceGetMemoryAffinity, handle device, unsigned int size, unsigned long *set,
     unsigned int scope) {
    ENTER_CARD(nvmlDeviceGetMemoryAffinity, device);
    REQUIRE(size > 0 && set && scope < 2);
    for (unsigned int i = 0; i < size; i++)
        set[i] = i == 0 ? 1ul << card->numa : 0ul;
    return OK;
}
