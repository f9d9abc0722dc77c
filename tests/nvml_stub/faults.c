/* Faults: which calls on which cards are refused, answer wrongly, are slow, hang, or crash. */

#define _GNU_SOURCE
#include "nvml_stub.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const deeds[DEEDS] = {"fault", "answer", "slow", "hang", "crash", "exit"};

static const struct {
    const char *word;
    answer code;
} codes[] = {
    {"version_mismatch", VERSION_MISMATCH}, {"no_permission", NO_PERMISSION},
    {"not_loaded", DRIVER_NOT_LOADED},      {"library", LIBRARY_NOT_FOUND},
    {"not_supported", NOT_SUPPORTED},       {"unknown", UNKNOWN},
    {"lost", GPU_IS_LOST},                  {"not_found", NOT_FOUND},
    {"no_data", NO_DATA},                   {"timeout", TIMED_OUT},
    {"uninitialized", UNINITIALIZED},       {"ok", OK},
};

/* Words for several rules at once; "$" stands for the word's own value. */
static const struct {
    const char *word, *rules;
} short_for[] = {
    {"lost", "fault=every@$:lost fault=nvmlDeviceGetHandleBy*@$:lost"},
    {"hung", "hang=every@$"},
    {"init", "fault=nvmlInit*:$"},
    {"garbage",
     "answer=nvmlDeviceGet*Utilization*@$:65535 answer=nvmlDeviceGet*FanSpeed*@$:65535 "
     "answer=nvmlDeviceGet*Temperature*@$:0x7FFFFFFF answer=nvmlDeviceGet*Power*@$:0xFFFFFFFF "
     "answer=nvmlDeviceGet*ClockInfo@$:0xFFFFFFFF answer=nvmlDeviceGetPerformanceState@$:32 "
     "answer=nvmlDeviceGetCurrPcieLink*@$:0xFFFFFFFF "
     "answer=nvmlDeviceGetPcieThroughput@$:0xFFFFFFFF "
     "answer=nvmlDeviceGetMemoryInfo@$:_,0xFFFFFFFFFFFF,0 "
     "answer=nvmlDeviceGetMemoryInfo_v2@$:_,_,0xFFFFFFFFFFFF,0 "
     "answer=field*@$:nan answer=nvmlGpmMetricsGet@$:nan"},
};

/* What the call in progress answers instead; the last answer is given again and again. */
static _Thread_local char answers[sizeof machine.rules->value];
static _Thread_local const char *next_answer;

/* Rules */

static void forget_rules(const char *owner) {
    int kept = 0;
    for (int i = 0; i < staged.rule_count; i++)
        if (strcmp(staged.rules[i].owner, owner) != 0)
            staged.rules[kept++] = staged.rules[i];
    staged.rule_count = kept;
}

static int is_known(const char *calls) {
    if (strcmp(calls, "all") == 0 || strcmp(calls, "every") == 0)
        return 1;
    if (strncmp(calls, "field", 5) == 0)
        return calls[5] == '*' || isdigit(calls[5]);
    for (struct symbol *at = __start_nvml_symbols; at < __stop_nvml_symbols; at++)
        if (fnmatch(calls, at->name, 0) == 0)
            return 1;
    return 0;
}

static int same(const struct rule *one, const struct rule *other) {
    return one->deed == other->deed && strcmp(one->owner, other->owner) == 0 &&
           strcmp(one->calls, other->calls) == 0 && strcmp(one->cards, other->cards) == 0;
}

/* CALLS, CALLS@CARDS or CARDS, then perhaps a colon and a value. */
static void add_rule(const char *owner, enum deed deed, const char *text) {
    char calls[sizeof machine.rules->calls];
    size_t length = strcspn(text, ":");
    snprintf(calls, sizeof calls, "%.*s", (int)length, text);
    struct rule rule = {.deed = deed};
    snprintf(rule.owner, sizeof rule.owner, "%s", owner);
    snprintf(rule.value, sizeof rule.value, "%s", text[length] ? text + length + 1 : "");
    char *cards = isdigit(*calls) ? calls : strchr(calls, '@');
    if (cards) {
        snprintf(rule.cards, sizeof rule.cards, "%s", cards == calls ? cards : cards + 1);
        *cards = '\0';
    }
    snprintf(rule.calls, sizeof rule.calls, "%s", *calls ? calls : "every");
    int at = 0;
    while (at < staged.rule_count && !same(&staged.rules[at], &rule))
        at++;
    if (at == MOST_RULES || !is_known(rule.calls)) {
        fprintf(stderr, "nvml stub: %s=%s is not understood\n", owner, text);
        return;
    }
    staged.rules[at] = rule;
    if (at == staged.rule_count)
        staged.rule_count++;
}

static int deed_of(const char *text, size_t length) {
    for (int deed = 0; deed < DEEDS; deed++)
        if (strlen(deeds[deed]) == length && strncmp(deeds[deed], text, length) == 0)
            return deed;
    return DEEDS;
}

static void add_rules(const char *owner, const char *rules, const char *value) {
    char text[512];
    for (const char *at = rules; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t n = 0, key = strcspn(at, "=");
        for (const char *in = at + key + 1; *in && *in != ' ' && n < sizeof text - 64; in++)
            n += *in == '$' ? (size_t)sprintf(text + n, "%.50s", value) : (text[n] = *in, 1u);
        text[n] = '\0';
        add_rule(owner, (enum deed)deed_of(at, key), text);
    }
}

/* 0: the key is none of a fault. */
int stub_set_fault(const char *key, char *value) {
    int deed = deed_of(key, strlen(key)), none = strcmp(value, "none") == 0;
    if (deed < DEEDS && none)
        forget_rules(key);
    else if (deed < DEEDS)
        add_rule(key, (enum deed)deed, value);
    else if (strcmp(key, "refused") == 0) {
        char *rest = NULL;
        forget_rules(key);
        for (char *one = strtok_r(value, ",", &rest); one && !none; one = strtok_r(NULL, ",", &rest))
            add_rule(key, REFUSE, one);
    } else {
        size_t at = 0, words = sizeof short_for / sizeof *short_for;
        while (at < words && strcmp(short_for[at].word, key) != 0)
            at++;
        if (at == words)
            return 0;
        forget_rules(key);
        if (!none)
            add_rules(key, short_for[at].rules, value);
    }
    return 1;
}

answer stub_code(const char *word) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].word, word) == 0)
            return codes[i].code;
    return isdigit(*word) ? (answer)atoi(word) : UNKNOWN;
}

/* Which of them hold */

int stub_faults_hold(void) {
    long long since = (long long)(stub_now_us() - machine.faults_since_us);
    if (since < machine.faults_from_us)
        return 0;
    if (machine.faults_until_us && since >= machine.faults_until_us)
        return 0;
    return !machine.flicker_us || since / machine.flicker_us % 2 == 0;
}

static int is_about(const struct rule *rule, const struct symbol *symbol, unsigned int field) {
    if (field)
        return strncmp(rule->calls, "field", 5) == 0 &&
               (rule->calls[5] == '*' || (unsigned int)atoi(rule->calls + 5) == field);
    if (strcmp(rule->calls, "all") == 0)
        return !symbol->finds_cards;
    if (strcmp(rule->calls, "every") == 0)
        return strncmp(symbol->name, "nvmlDeviceGetHandleBy", 21) != 0;
    return fnmatch(rule->calls, symbol->name, 0) == 0;
}

/* The newest rule of each deed about this call; `card` is -1 where it is about none. */
static void find_rules(const struct symbol *symbol, unsigned int field, int card,
                       const struct rule *found[DEEDS]) {
    if (!machine.rule_count || !stub_faults_hold())
        return;
    for (int i = machine.rule_count - 1; i >= 0; i--) {
        const struct rule *rule = &machine.rules[i];
        int of_it = !*rule->cards || (card >= 0 && stub_names(rule->cards, card));
        if (of_it && !found[rule->deed] && is_about(rule, symbol, field))
            found[rule->deed] = rule;
    }
}

static answer refusal_of(const struct rule *rule) {
    if (!rule)
        return OK;
    return *rule->value ? stub_code(rule->value) : machine.refuse_code;
}

answer stub_refusal(const struct symbol *symbol, int card) {
    const struct rule *found[DEEDS] = {NULL};
    find_rules(symbol, 0, card, found);
    return refusal_of(found[REFUSE]);
}

/* What they do */

static void crash(const char *number) {
    int which = *number ? atoi(number) : SIGSEGV;
    raise(which);
}

static void dawdle(const char *seconds) {
    double whole = strtod(seconds, NULL);
    struct timespec rest = {.tv_sec = (time_t)whole,
                            .tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9)};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
}

static void hang(const struct symbol *symbol, unsigned int field, int card) {
    const struct rule *found[DEEDS];
    unsigned long before = stub_releases();
    stub_lock();
    do {
        memset(found, 0, sizeof found);
        find_rules(symbol, field, card, found);
    } while (found[HANG] && stub_releases() == before &&
             (stub_wait(stub_real_us() + 20000), 1)); /* it may only flicker */
    stub_unlock();
}

answer stub_meet_faults(const struct symbol *symbol, unsigned int field, int card) {
    const struct rule *found[DEEDS] = {NULL};
    find_rules(symbol, field, card, found);
    if (found[CRASH])
        crash(found[CRASH]->value);
    if (found[EXIT])
        exit(atoi(found[EXIT]->value));
    if (found[SLOW])
        dawdle(found[SLOW]->value);
    if (found[HANG])
        hang(symbol, field, card);
    next_answer = NULL;
    if (found[ANSWER])
        next_answer = memcpy(answers, found[ANSWER]->value, sizeof answers);
    return machine.fuzz && !found[REFUSE] ? stub_drawn_answer(symbol, card)
                                          : refusal_of(found[REFUSE]);
}

/* The answer to give next; NULL or "_…": what is true. */
static const char *take_answer(void) {
    const char *taken = next_answer, *comma = taken ? strchr(taken, ',') : NULL;
    if (comma)
        next_answer = comma + 1;
    return taken;
}

int stub_tells_real(void) {
    return next_answer && strcspn(next_answer, ".naif") < strcspn(next_answer, ",x_");
}

long long stub_told(long long truth) {
    if (truth == ABSENT)
        return truth;
    const char *told = take_answer();
    if (told && *told == '*')
        return truth * atoll(told + 1);
    if (told && *told == '_')
        return truth;
    return told ? (long long)strtoull(told, NULL, 0) : stub_drawn(truth);
}

double stub_told_real(double truth) {
    const char *told = take_answer();
    return told && *told != '_' ? strtod(told, NULL) : stub_drawn_real(truth);
}

/* A text is told as the hexadecimal digits of its bytes. */
const char *stub_told_text(const char *truth, char told[TEXT_ROOM]) {
    const char *hex = take_answer();
    unsigned int byte;
    size_t n = 0;
    if (!hex || *hex == '_')
        return truth;
    while (n + 1 < TEXT_ROOM && sscanf(hex + 2 * n, "%2x", &byte) == 1)
        told[n++] = (char)byte;
    told[n] = '\0';
    return told;
}
