/* Preloaded into a server: every flush to the disk takes FLUSH_MS milliseconds more, as on a disk that has no cache. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
  const char *value = getenv("FLUSH_MS");
  long milliseconds = value ? atol(value) : 0;
  struct timespec time = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  nanosleep(&time, NULL);
}

int fsync(int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_for_disk();
  return flush(file);
}

int fdatasync(int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_disk();
  return flush(file);
}
