/* SPDX-License-Identifier: Apache-2.0
 * What a runner does to itself before it touches the candidate, so that nothing the candidate does can reach further than
 * its own scratch folder. Plain C, needs libc alone: linked into runner-native, loaded by runner-python through ctypes.
 * docs/sandbox.md says what each layer closes. Every function returns -1 on failure and then writes a message to `error`. */
#ifndef KBX_LOCKDOWN_LOCKDOWN_H_
#define KBX_LOCKDOWN_LOCKDOWN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of `layers` (asked for) and of kbx_apply_lockdown's result (in force). 1 is taken: namespaces, in the protocol. */
enum kbx_layer {
  KBX_LANDLOCK = 2,     /* files; TCP from ABI 4 on; ptrace and /proc/PID/{mem,environ,...} of processes outside */
  KBX_SECCOMP = 4,      /* the system call filter */
  KBX_CAPABILITIES = 8, /* none left, and none can be gained */
  KBX_SCOPED = 16       /* result only: Landlock ABI 6 or newer, signals and abstract sockets end at this process tree */
};

struct kbx_lockdown {
  const char* const*
      readable; /* NULL-terminated: may be read and executed, with all below. Paths that do not exist are ignored */
  const char* const* writable; /* NULL-terminated: may be read, written, created and removed too; devices may be ioctl'ed */
  const void* filter;          /* array of struct sock_filter, as kbx::syscall_filter() gives it */
  uint32_t filter_bytes;
  uint32_t layers;       /* KBX_LANDLOCK | KBX_SECCOMP | KBX_CAPABILITIES, any of them */
  uint64_t memory_bytes; /* RLIMIT_DATA; this and the next three: 0 leaves the limit as it is */
  uint64_t file_bytes;   /* RLIMIT_FSIZE: files and memfds */
  uint32_t open_files;   /* RLIMIT_NOFILE */
  uint32_t processes;    /* RLIMIT_NPROC: binds ordinary users only, and counts all of the user's processes unless it has a user
                            namespace */
};

/* Sets no_new_privs, limits (core dumps: none) and the layers asked for. Returns the layers in force: Landlock is absent from it
 * where the kernel has none, any other failure is -1. REQUIRES: the process has one thread, or `layers` is 0. Cannot be undone.
 */
int kbx_apply_lockdown(const struct kbx_lockdown* lockdown, char* error, size_t error_bytes);

/* The zygote's recipe for a child with its own pid, mount and ipc namespace (needs CAP_SYS_ADMIN in its user namespace):
 *   fd = open("/proc/self/ns/pid"), once;  kbx_unshare_pid();  fork();
 *   parent: kbx_restore_pid_ns(fd);        child (it is pid 1, killing it kills its whole tree): kbx_child_mounts(),
 * kbx_apply_lockdown(). */
int kbx_unshare_pid(char* error, size_t error_bytes);
int kbx_restore_pid_ns(int fd, char* error, size_t error_bytes);
/* New mount and ipc namespace; a fresh /proc (with /proc/sys read-only), fresh tmpfs of `scratch_bytes` on `scratch` and of
 * `shm_bytes` on /dev/shm. */
int kbx_child_mounts(const char* scratch, uint64_t scratch_bytes, uint64_t shm_bytes, char* error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* KBX_LOCKDOWN_LOCKDOWN_H_ */
