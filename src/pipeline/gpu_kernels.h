// SPDX-License-Identifier: Apache-2.0
// Whose a kernel on the GPU is, by its name: the table of what libraries call theirs. docs/verdicts.md, "Authorship".
#pragma once

#include <string>
#include <string_view>

#include "core/verdict.h"

namespace kbx {

// The name of the function alone, with its namespaces: "at::native::vectorized_elementwise_kernel" from
// "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)".
std::string function_name(std::string_view demangled);

// `neutral`: fills, copies and casts, random numbers; `library`: a name from the table; else `own`.
KernelOrigin kernel_origin(std::string_view demangled);

// Whether only a generator gives kernels such names (cuBLAS, cuDNN): nobody writes them by hand.
bool is_generated_name(std::string_view demangled);

// Whether it comes out of a library's headers, and so needs no library at run time.
bool is_header_template(std::string_view demangled);

}  // namespace kbx
