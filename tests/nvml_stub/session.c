/* Sessions, the system's own questions, finding cards, and what never changes about a card. */

#include "nvml_stub.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#ifdef OLD_DRIVER
#define CUDA_VERSION 11000
#else
#define CUDA_VERSION 13000
#endif

struct pci_v2 { /* also what the first version fills */
    char bus_id[16];
    unsigned int domain, bus, device, device_id, subsystem_id, reserved[4];
};

struct pci_v3 {
    char old_bus_id[16];
    unsigned int domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

CALL_TO_FIND_CARDS(nvmlInit, void) { return stub_open_session(&symbol_nvmlInit); }

CALL_TO_FIND_CARDS(nvmlInit_v2, void) { return stub_open_session(&symbol_nvmlInit_v2); }

CALL_TO_FIND_CARDS(nvmlInitWithFlags, unsigned int flags) {
    (void)flags;
    return stub_open_session(&symbol_nvmlInitWithFlags);
}

CALL_TO_FIND_CARDS(nvmlShutdown, void) {
    stub_count(&symbol_nvmlShutdown);
    return stub_close_session();
}

SYMBOL(nvmlErrorString, 1);
EXPORT const char *nvmlErrorString(answer code);
EXPORT const char *nvmlErrorString(answer code) {
    stub_count(&symbol_nvmlErrorString);
    switch (code) {
    case OK: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NO_PERMISSION: return "Insufficient Permissions";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case TIMED_OUT: return "Timeout";
    case GPU_IS_LOST: return "GPU is lost";
    case VERSION_MISMATCH: return "Driver/library version mismatch";
    default: return "Unknown Error";
    }
}

answer stub_give_text(char *buffer, unsigned int size, const char *text) {
    char told[TEXT_ROOM];
    REQUIRE(buffer);
    if (stub_drawn_text(buffer, size))
        return OK;
    text = stub_told_text(text, told);
    if (size < strlen(text) + 1)
        return INSUFFICIENT_SIZE;
    memcpy(buffer, text, strlen(text) + 1);
    return OK;
}

CALL(nvmlSystemGetDriverVersion, char *version, unsigned int size) {
    ENTER(nvmlSystemGetDriverVersion);
    return stub_give_text(version, size, machine.driver_version);
}

CALL(nvmlSystemGetNVMLVersion, char *version, unsigned int size) {
    ENTER(nvmlSystemGetNVMLVersion);
    char text[48];
    snprintf(text, sizeof text, "%d.%s", CUDA_VERSION / 1000, machine.driver_version);
    return stub_give_text(version, size, text);
}

CALL(nvmlSystemGetCudaDriverVersion, int *version) {
    ENTER(nvmlSystemGetCudaDriverVersion);
    GIVE(version, CUDA_VERSION);
    return OK;
}

CALL(nvmlSystemGetCudaDriverVersion_v2, int *version) {
    ENTER(nvmlSystemGetCudaDriverVersion_v2);
    GIVE(version, CUDA_VERSION);
    return OK;
}

CALL(nvmlSystemGetProcessName, unsigned int pid, char *name, unsigned int size) {
    ENTER(nvmlSystemGetProcessName);
    for (int i = 0; i < machine.cards; i++)
        for (int j = 0; j < machine.card[i].process_count; j++)
            if (machine.card[i].processes[j].pid == pid) {
                char text[64];
                snprintf(text, sizeof text, "/usr/bin/program-%u", pid);
                return stub_give_text(name, size, text);
            }
    return NOT_FOUND;
}

static answer count_cards(unsigned int *count) {
    GIVE(count, machine.cards);
    return OK;
}

CALL_TO_FIND_CARDS(nvmlDeviceGetCount, unsigned int *count) {
    ENTER(nvmlDeviceGetCount);
    return count_cards(count);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetCount_v2, unsigned int *count) {
    ENTER(nvmlDeviceGetCount_v2);
    return count_cards(count);
}

static answer hand_out(const struct symbol *symbol, int index, int slice, handle *device) {
    REQUIRE(device && index >= 0 && index < machine.cards);
    OR_RETURN(stub_meet_faults(symbol, 0, index));
    *device = stub_handle_of(index, slice);
    stub_draw_bytes(device, sizeof *device);
    return OK;
}

CALL_TO_FIND_CARDS(nvmlDeviceGetHandleByIndex, unsigned int index, handle *device) {
    ENTER(nvmlDeviceGetHandleByIndex);
    return hand_out(&symbol_nvmlDeviceGetHandleByIndex, (int)index, -1, device);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetHandleByIndex_v2, unsigned int index, handle *device) {
    ENTER(nvmlDeviceGetHandleByIndex_v2);
    return hand_out(&symbol_nvmlDeviceGetHandleByIndex_v2, (int)index, -1, device);
}

static void name_slice(const struct card *card, int slice, char *uuid, size_t size) {
    int i = stub_index_of(card);
    snprintf(uuid, size, "MIG-%08x-%04x-4000-8000-%012x", i, slice + 1, i);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetHandleByUUID, const char *uuid, handle *device) {
    ENTER(nvmlDeviceGetHandleByUUID);
    REQUIRE(uuid && device);
    for (int i = 0; i < machine.cards; i++) {
        const struct card *card = &machine.card[i];
        if (strcmp(card->uuid, uuid) == 0)
            return hand_out(&symbol_nvmlDeviceGetHandleByUUID, i, -1, device);
        for (int slice = 0; slice < MOST_SLICES; slice++) {
            char of_slice[96];
            name_slice(card, slice, of_slice, sizeof of_slice);
            if ((card->mig_mask >> slice & 1) && strcmp(of_slice, uuid) == 0)
                return hand_out(&symbol_nvmlDeviceGetHandleByUUID, i, slice, device);
        }
    }
    return NOT_FOUND;
}

/* 64 cards in each PCI domain. */
static unsigned int domain_of(int index) { return (unsigned int)index / 64; }
static unsigned int bus_of(int index) { return 0x1Bu + 3u * ((unsigned int)index % 64u); }

static answer find_by_bus(const struct symbol *symbol, const char *wanted, handle *device) {
    unsigned int domain, bus, slot;
    REQUIRE(wanted && device);
    REQUIRE(sscanf(wanted, "%x:%x:%x", &domain, &bus, &slot) == 3);
    for (int i = 0; i < machine.cards; i++)
        if (domain == domain_of(i) && slot == 0 && bus == bus_of(i))
            return hand_out(symbol, i, -1, device);
    return NOT_FOUND;
}

CALL_TO_FIND_CARDS(nvmlDeviceGetHandleByPciBusId, const char *bus_id, handle *device) {
    ENTER(nvmlDeviceGetHandleByPciBusId);
    return find_by_bus(&symbol_nvmlDeviceGetHandleByPciBusId, bus_id, device);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetHandleByPciBusId_v2, const char *bus_id, handle *device) {
    ENTER(nvmlDeviceGetHandleByPciBusId_v2);
    return find_by_bus(&symbol_nvmlDeviceGetHandleByPciBusId_v2, bus_id, device);
}

static answer give_old_pci(const struct card *card, struct pci_v2 *pci) {
    REQUIRE(pci);
    memset(pci, 0, sizeof *pci);
    pci->domain = domain_of(stub_index_of(card));
    pci->bus = bus_of(stub_index_of(card));
    pci->device_id = (unsigned int)card->device_id;
    snprintf(pci->bus_id, sizeof pci->bus_id, "%04X:%02X:00.0", pci->domain & 0xFFFF,
             pci->bus & 0xFF);
    return OK;
}

CALL_TO_FIND_CARDS(nvmlDeviceGetPciInfo, handle device, struct pci_v2 *pci) {
    ENTER_CARD(nvmlDeviceGetPciInfo, device);
    return give_old_pci(card, pci);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetPciInfo_v2, handle device, struct pci_v2 *pci) {
    ENTER_CARD(nvmlDeviceGetPciInfo_v2, device);
    return give_old_pci(card, pci);
}

static void fill_pci(struct pci_v3 *pci, unsigned int domain, unsigned int bus,
                     unsigned int device_id) {
    memset(pci, 0, sizeof *pci);
    pci->domain = domain;
    pci->bus = bus;
    pci->device_id = device_id;
    snprintf(pci->old_bus_id, sizeof pci->old_bus_id, "%04X:%02X:00.0", domain & 0xFFFF,
             bus & 0xFF);
    snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:00.0", domain, bus & 0xFF);
    stub_draw_bytes(pci, sizeof *pci);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetPciInfo_v3, handle device, struct pci_v3 *pci) {
    ENTER_CARD(nvmlDeviceGetPciInfo_v3, device);
    REQUIRE(pci);
    int index = stub_index_of(card);
    fill_pci(pci, domain_of(index), bus_of(index), (unsigned int)card->device_id);
    char truth[sizeof pci->bus_id];
    memcpy(truth, pci->bus_id, sizeof truth);
    return stub_give_text(pci->bus_id, sizeof pci->bus_id, truth);
}

/* A switch's bus comes after that of every card. */
static answer give_remote(const struct card *card, unsigned int link, struct pci_v3 *pci) {
    REQUIRE(pci);
    if (card->nvlinks == 0)
        return NOT_SUPPORTED;
    REQUIRE(link < (unsigned int)card->nvlinks);
    int remote = stub_remote_card(card, (int)link);
    if (remote == -2)
        return NOT_SUPPORTED;
    if (remote == -3)
        memset(pci, 0xFF, sizeof *pci);
    else if (remote == -1)
        fill_pci(pci, 0, 0xE0u + link % 4u, 0x22A310DEu);
    else
        fill_pci(pci, domain_of(remote), bus_of(remote),
                 (unsigned int)machine.card[remote].device_id);
    return OK;
}

CALL(nvmlDeviceGetNvLinkRemotePciInfo, handle device, unsigned int link, struct pci_v2 *pci) {
    ENTER_CARD(nvmlDeviceGetNvLinkRemotePciInfo, device);
    struct pci_v3 full;
    REQUIRE(pci);
    OR_RETURN(give_remote(card, link, &full));
    memset(pci, 0, sizeof *pci);
    memcpy(pci, &full, offsetof(struct pci_v3, bus_id));
    return OK;
}

CALL(nvmlDeviceGetNvLinkRemotePciInfo_v2, handle device, unsigned int link,
     struct pci_v3 *pci) {
    ENTER_CARD(nvmlDeviceGetNvLinkRemotePciInfo_v2, device);
    return give_remote(card, link, pci);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetIndex, handle device, unsigned int *index) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetIndex, device);
    GIVE(index, slice < 0 ? stub_index_of(card) : slice);
    return OK;
}

CALL_TO_FIND_CARDS(nvmlDeviceGetMinorNumber, handle device, unsigned int *minor) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetMinorNumber, device);
    GIVE(minor, stub_index_of(card));
    return OK;
}

CALL_TO_FIND_CARDS(nvmlDeviceGetName, handle device, char *name, unsigned int size) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetName, device);
    char of_slice[160];
    snprintf(of_slice, sizeof of_slice, "%s MIG 1g.10gb", card->name);
    return stub_give_text(name, size, slice < 0 ? card->name : of_slice);
}

CALL_TO_FIND_CARDS(nvmlDeviceGetUUID, handle device, char *uuid, unsigned int size) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetUUID, device);
    char of_slice[96];
    name_slice(card, slice, of_slice, sizeof of_slice);
    return stub_give_text(uuid, size, slice < 0 ? card->uuid : of_slice);
}

CALL(nvmlDeviceGetSerial, handle device, char *serial, unsigned int size) {
    ENTER_CARD(nvmlDeviceGetSerial, device);
    if (!card->serial[0])
        return NOT_SUPPORTED;
    return stub_give_text(serial, size, card->serial);
}

CALL(nvmlDeviceGetVbiosVersion, handle device, char *version, unsigned int size) {
    ENTER_CARD(nvmlDeviceGetVbiosVersion, device);
    return stub_give_text(version, size, card->vbios);
}

CARD_NUMBER(nvmlDeviceGetBrand, unsigned int, card->brand)
CARD_NUMBER(nvmlDeviceGetArchitecture, unsigned int, card->architecture)
CARD_NUMBER(nvmlDeviceGetNumGpuCores, unsigned int, card->cores)
CARD_NUMBER(nvmlDeviceGetMemoryBusWidth, unsigned int, card->bus_width)
CARD_NUMBER(nvmlDeviceGetNumaNodeId, unsigned int, card->numa)

CALL(nvmlDeviceGetCudaComputeCapability, handle device, int *major, int *minor) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetCudaComputeCapability, device);
    GIVE(major, card->capability_major);
    GIVE(minor, card->capability_minor);
    return OK;
}
