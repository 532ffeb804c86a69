/* SPDX-License-Identifier: Apache-2.0
 * How the functions of lockdown.h fail. */
#ifndef KBX_LOCKDOWN_MESSAGE_H_
#define KBX_LOCKDOWN_MESSAGE_H_

#include <errno.h>
#include <stdio.h>
#include <string.h>

namespace kbx_lockdown_internal {

/* Writes "what: errno's text" and returns -1. */
inline int failed(char* error, size_t size, const char* what) {
  if (error != nullptr && size > 0) snprintf(error, size, "%s: %s", what, strerror(errno));
  return -1;
}

}  // namespace kbx_lockdown_internal

#endif /* KBX_LOCKDOWN_MESSAGE_H_ */
