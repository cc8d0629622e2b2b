/* SPDX-License-Identifier: Apache-2.0
 * Preloaded before libfaketime: turns the clock waits that libfaketime 0.9.10 leaves on real time
 * (C11 conditions, waits with a clock of their own, semaphores with a time limit) or gets wrong
 * (absolute timers of the monotonic clock) into calls that it scales. A condition made with an attribute for the monotonic clock is not told from others:
 * nothing that ktrial drives uses one with pthread_cond_clockwait. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { kSecond = 1000000000, kSlice = 2000000 };

/* The same moment on the realtime clock, both as the process sees them. */
static struct timespec to_realtime(clockid_t clock, const struct timespec* at) {
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  real.tv_sec += at->tv_sec - now.tv_sec;
  real.tv_nsec += at->tv_nsec - now.tv_nsec;
  while (real.tv_nsec >= kSecond) {
    real.tv_nsec -= kSecond;
    ++real.tv_sec;
  }
  while (real.tv_nsec < 0) {
    real.tv_nsec += kSecond;
    --real.tv_sec;
  }
  return real;
}

int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* at) {
  const struct timespec real = to_realtime(clock, at);
  return pthread_cond_timedwait(cond, mutex, &real);
}

int cnd_timedwait(cnd_t* cond, mtx_t* mutex, const struct timespec* at) {
  const int result = pthread_cond_timedwait((pthread_cond_t*)cond, (pthread_mutex_t*)mutex, at);
  return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* at) {
  for (;;) {
    struct timespec now;
    const struct timespec slice = {0, kSlice};
    if (sem_trywait(semaphore) == 0) return 0;
    if (errno != EAGAIN) return -1;
    clock_gettime(clock, &now);
    if (now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec)) {
      errno = ETIMEDOUT;
      return -1;
    }
    syscall(SYS_nanosleep, &slice, NULL); /* real time, past libfaketime */
  }
}

int sem_timedwait(sem_t* semaphore, const struct timespec* at) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, at);
}

/* libfaketime takes an absolute time for one of the realtime clock: make it relative first. */
int timerfd_settime(int fd, int flags, const struct itimerspec* new_value,
                    struct itimerspec* old_value) {
  typedef int (*settime)(int, int, const struct itimerspec*, struct itimerspec*);
  static settime next;
  struct itimerspec relative = *new_value;
  struct timespec now;
  if (next == NULL) next = (settime)dlsym(RTLD_NEXT, "timerfd_settime");
  const int disarm = new_value->it_value.tv_sec == 0 && new_value->it_value.tv_nsec == 0;
  if ((flags & TFD_TIMER_ABSTIME) == 0 || disarm) return next(fd, flags, new_value, old_value);
  clock_gettime(CLOCK_MONOTONIC, &now);
  relative.it_value.tv_sec -= now.tv_sec;
  relative.it_value.tv_nsec -= now.tv_nsec;
  if (relative.it_value.tv_nsec < 0) {
    relative.it_value.tv_nsec += kSecond;
    --relative.it_value.tv_sec;
  }
  if (relative.it_value.tv_sec < 0) {
    relative.it_value.tv_sec = 0;
    relative.it_value.tv_nsec = 0;
  }
  /* Due already, or less than what scaling leaves of it: at once, not never. */
  if (relative.it_value.tv_sec == 0 && relative.it_value.tv_nsec < 1000000)
    relative.it_value.tv_nsec = 1000000;
  return next(fd, flags & ~TFD_TIMER_ABSTIME, &relative, old_value);
}
