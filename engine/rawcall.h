/*
 * rawcall: system calls compiled into the caller. An out-of-line call through
 * a library costs about 130 ns more on some CPUs, a third of an I/O at depth
 * 1. For the measured path only; everything else goes through the libraries.
 *
 * raw_call returns what the kernel returns: a result, or -errno. errno itself
 * is not touched.
 */
#ifndef ENGINE_RAWCALL_H
#define ENGINE_RAWCALL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)

static inline long raw_call6(long nr, long a, long b, long c, long d, long e,
			     long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long raw_call4(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

#elif defined(__aarch64__) && defined(__LP64__)

static inline long raw_call6(long nr, long a, long b, long c, long d, long e,
			     long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

static inline long raw_call4(long nr, long a, long b, long c, long d)
{
	return raw_call6(nr, a, b, c, d, 0, 0);
}

#else

static inline long raw_call6(long nr, long a, long b, long c, long d, long e,
			     long f)
{
	long ret = syscall(nr, a, b, c, d, e, f);

	return ret < 0 ? -errno : ret;
}

static inline long raw_call4(long nr, long a, long b, long c, long d)
{
	return raw_call6(nr, a, b, c, d, 0, 0);
}

#endif

#endif
