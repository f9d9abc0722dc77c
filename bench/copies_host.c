/* memcpy again and again: for each line "bytes threads loops" on its input, seconds of a copy. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 256

struct share {
    char *target, *source;
    size_t bytes;
    long loops;
    pthread_barrier_t *barrier;
};

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void *copy(void *given)
{
    struct share *share = given;
    for (long loop = 0; loop < share->loops; loop++) {
        memcpy(share->target, share->source, share->bytes);
        __asm__ volatile("" ::"r"(share->target) : "memory"); /* or it may be left out */
        if (share->barrier)
            pthread_barrier_wait(share->barrier); /* all of it, before the next begins */
    }
    return NULL;
}

int main(void)
{
    size_t bytes, held = 0;
    long loops;
    int threads;
    char *source = NULL, *target = NULL;
    while (scanf("%zu %d %ld", &bytes, &threads, &loops) == 3) {
        if (threads < 1 || threads > MOST_THREADS)
            return 1;
        if (bytes != held) {
            free(source);
            free(target);
            source = aligned_alloc(64, bytes);
            target = aligned_alloc(64, bytes);
            if (!source || !target)
                return 1;
            memset(source, 1, bytes);
            memset(target, 2, bytes);
            held = bytes;
        }
        pthread_t others[MOST_THREADS];
        struct share shares[MOST_THREADS];
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, (unsigned)threads);
        size_t each = bytes / (size_t)threads;
        for (int n = 0; n < threads; n++)
            shares[n] = (struct share){target + n * each, source + n * each, each, loops,
                                       threads > 1 ? &barrier : NULL};
        double began = now();
        for (int n = 1; n < threads; n++)
            pthread_create(&others[n], NULL, copy, &shares[n]);
        copy(&shares[0]);
        for (int n = 1; n < threads; n++)
            pthread_join(others[n], NULL);
        printf("%.9f\n", (now() - began) / (double)loops);
        fflush(stdout);
        pthread_barrier_destroy(&barrier);
    }
    return 0;
}
