/* The least that passes for NVIDIA's library. $CRASH_AT says where it ends its process. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void crash_at(const char *here) {
    const char *there = getenv("CRASH_AT");
    if (!there || strcmp(there, here) != 0)
        return;
    if (strcmp(here, "init") == 0)
        abort();
    while (strcmp(here, "hang") == 0)
        pause();
    if (strcmp(here, "exit") == 0)
        exit(7);
    raise(SIGSEGV);
}

__attribute__((constructor)) static void load(void) {
    crash_at("load");
    crash_at("hang");
}

int nvmlInitWithFlags(unsigned int flags) {
    (void)flags;
    crash_at("init");
    crash_at("exit");
    return 0;
}

int nvmlShutdown(void) { return 0; }

int nvmlDeviceGetCount_v2(unsigned int *count) {
    *count = 1;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device) {
    crash_at("handle");
    *device = (void *)(unsigned long)(index + 1);
    return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned int size) {
    (void)device;
    strncpy(name, "NVIDIA Crashing Card", size);
    return 0;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned int size) {
    (void)device;
    strncpy(uuid, "GPU-crashing", size);
    return 0;
}
