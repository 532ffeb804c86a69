// SPDX-License-Identifier: Apache-2.0
#include "diagnose/advice.h"

#include <algorithm>
#include <array>

#include "core/check.h"

namespace kbx {
namespace {

constexpr std::array kTexts{
    // Form.
    PatternText{"missing_output", "the call returned, but an expected output did not come",
                "Return every output in schema order; a function without `return` gives None. An in-place task must also write "
                "its argument."},
    PatternText{
        "wrong_dtype", "an output has another type than the task asks for",
        "Allocate the output with the type of the reference's result (often the input's); indices are int64, comparisons bool. "
        "Accumulate in float32 if you like, but store in the output's type."},
    PatternText{"keepdim", "the shape is right except for dimensions of size one",
                "Follow the task's `keepdim`; do not squeeze or unsqueeze what the reference keeps."},
    PatternText{"broadcast_shape", "the shape is what broadcasting two operands of different rank gives",
                "An operand of shape [n, 1] met one of shape [n]: reduce with keepdim on both sides, or index both alike."},
    PatternText{"transposed_shape", "the shape has the right sizes in another order",
                "Swap the dimensions back; for a matrix product check which operand gives the rows."},
    PatternText{
        "not_reduced", "a dimension is there that the result does not have",
        "Reduce over all dimensions that the task reduces, in the last step too: a statistic of sums is one number, not one "
        "per row."},
    PatternText{"missing_dimension", "a dimension of the result is missing",
                "Reduce over the given dimensions only, and carry the leading (batch) dimensions through to the output."},
    PatternText{
        "complex_result", "the result is complex where a real one is asked for",
        "Eigenvalues and spectra are complex in general; where the input is real and the result too, return its real part."},
    PatternText{"wrong_shape", "an output has another shape than the task asks for",
                "Derive the output's shape from the arguments as the task's formula says, also for odd, empty and 0-dim inputs."},
    // Values that another computation explains.
    PatternText{
        "not_written", "elements still hold what the judge filled the output with before the call",
        "The kernel never stored there, or copied what was never stored: check the grid size (round up: cdiv), the mask of the "
        "store, early returns, and intermediate buffers from torch.empty."},
    PatternText{
        "stops_early", "the output is stored up to some element, and not at all behind it",
        "Programs are missing, or they overlap: the grid must cover all elements, a program that handles BLOCK * WIDTH of "
        "them must start at pid * BLOCK * WIDTH, and each axis of the grid (batch!) needs its own program_id."},
    PatternText{
        "wrote_to_a_copy", "nothing was stored, and an argument is not contiguous",
        "flatten(), reshape() and contiguous() of a tensor that is not contiguous give a copy: the kernel filled the copy. "
        "empty_like keeps strides; allocate with torch.empty(shape), or copy the result back."},
    PatternText{"strides_ignored", "the values are those for the input's memory read as if it were contiguous",
                "Pass the strides to the kernel and use them, or call .contiguous() first."},
    PatternText{"argument_ignored", "the values are those of a call without one of the arguments",
                "The argument is not used (bias, mask, alpha, eps, dim ...): follow it through to where it should matter."},
    PatternText{"default_differs", "the values are those with another default of an argument that the call does not give",
                "Take the defaults from the task's signature; what the function does not name must behave as the default says."},
    PatternText{"window_count", "averages over windows are divided by another number of elements",
                "Whether padding counts is a rule of the operator: avg_pool divides by kernel_h * kernel_w unless "
                "count_include_pad=False."},
    PatternText{"not_updated", "an argument that the call updates still holds its old contents",
                "Write the new value back into the argument itself; a conversion (.to, .contiguous) may have made a copy."},
    PatternText{
        "repeated_update", "an argument was updated several times in one call",
        "Each program that touches a channel updates it: let exactly one program do so, after the statistics are complete."},
    PatternText{"momentum_exchanged", "momentum and 1 - momentum are exchanged",
                "In torch new = (1 - momentum) * old + momentum * batch."},
    PatternText{"variance_bias", "a variance is divided by n instead of n - 1, or the other way round",
                "Running variances take the unbiased one (n - 1), normalisation the biased one (n)."},
    PatternText{"wrong_step", "an argument was moved in the right direction, but by another length",
                "Look for the factor in the update: learning rate, momentum, dampening, bias correction."},
    PatternText{
        "permutation_transposed", "the permutation of a pivoted decomposition was used for its transpose",
        "A = P L U gives P' A = L U: permute the right-hand side with P.mT. The rows that pivoting collected form P', not P."},
    PatternText{"permutation_ignored", "a pivoted decomposition was used as if rows had not been exchanged",
                "Apply P.mT to the right-hand side before forward substitution, or return the P that belongs to L and U."},
    PatternText{"matrix_transposed", "the system with the transposed matrix was solved",
                "Exchange the strides of the matrix; LAPACK's factors are stored by columns."},
    PatternText{"half_solved", "one of the two steps of the solution is missing",
                "Solve both triangular systems, the second with the result of the first."},
    PatternText{
        "only_diagonal", "a triangular system was solved as if its matrix were diagonal",
        "Each row needs all rows solved before it, in the same block too: go row by row (from the last one up for an upper "
        "triangle), sum over the solved ones, and use tl.dot, not *, between blocks."},
    PatternText{"other_triangle", "the wrong triangle of a matrix was used, or one alone",
                "Check `upper`, and which index is the row; what lies in the other triangle of a factor must not count."},
    PatternText{"factors_exchanged", "two triangular factors were used in the wrong order or twice",
                "A = L L' is solved by L y = b, then L' x = y; for upper=True by U' y = b, then U x = y."},
    PatternText{"unit_diagonal", "the ones on the diagonal of L are missing",
                "In A = P L U the diagonal of the packed result belongs to U; set L's to one."},
    PatternText{
        "row_statistic", "each row or channel has a factor (and offset) of its own",
        "A statistic of the row is wrong, the rest right: its mean, variance, norm or maximum. Masked lanes must not count "
        "(x - mean is -mean there: tl.where(mask, x - mean, 0)); divide by the number of elements, not by the block."},
    PatternText{"tail_dropped", "the values are those of an input whose last part counts as zero",
                "The reduction loop stops before the end when the length is no multiple of the block: loop to cdiv(length, "
                "block) and mask the loads."},
    PatternText{"copy_of_input", "the output equals an input",
                "The kernel copies instead of computing, or the function returns the wrong tensor."},
    PatternText{
        "all_zero", "every wrong element is zero",
        "The kernel was not launched, wrote elsewhere, multiplied by an empty accumulator, or its mask is false everywhere."},
    PatternText{"constant", "every element has the same value",
                "All programs compute the same element: offsets do not depend on the program id or on the lane."},
    PatternText{"transposed", "the values are right, but two dimensions are exchanged",
                "Exchange the strides in the load or the store; check which index runs over rows."},
    PatternText{
        "permuted_rows", "the rows are right, but in another order",
        "The mapping from program id to row is not the identity: check swizzling, grouping and the order of grid dimensions."},
    PatternText{"shifted", "the values are right, but displaced along a dimension",
                "An offset is off by that many elements: check block starts, padding, and inclusive against exclusive."},
    PatternText{"sign_flipped", "values have the wrong sign",
                "A minus is missing or double, or operands of a subtraction are exchanged."},
    PatternText{"factor", "one factor explains all values",
                "Look for the factor in the formula: a mean for a sum, n against n - 1, a missing scale (1 / sqrt(d), alpha), "
                "log2 for ln, a value added twice."},
    PatternText{"offset", "one added constant explains all values",
                "Look for the constant in the formula: a missing bias, eps, +1 or a maximum that was not subtracted."},
    // Where wrong values lie.
    PatternText{"nan", "NaN where the truth is a number",
                "Usual causes: 0 / 0 or inf - inf (subtract the maximum before exp; all-masked rows), sqrt or log of a negative "
                "number, an uninitialised accumulator."},
    PatternText{"infinite", "an infinity where the truth is finite",
                "Overflow: exp without subtracting the maximum, a sum or product in float16, division by zero."},
    PatternText{
        "overflow", "NaN or infinity, only where inputs are large",
        "exp overflows from 88 on in float32 (11 in float16), and inf / inf is NaN: use exp(-abs(x)), subtract the maximum, or "
        "choose a formula per range. Powers and products overflow likewise."},
    PatternText{"nan_lost", "a number where the truth is NaN or infinite",
                "Comparisons and max/min drop NaN: propagate it (tl.maximum(..., propagate_nan=tl.PropagateNan.ALL), x != x)."},
    PatternText{
        "last_block", "only a block at the end is wrong",
        "The size is no multiple of the block: mask loads and stores with offsets < n, give masked loads a neutral `other` "
        "(0 for sums, -inf for max), and round the grid up."},
    PatternText{"first_block", "only a block at the start is wrong",
                "The first block is treated apart or overwritten: check initialisation, carries, and programs that all write to "
                "block 0."},
    PatternText{"one_row", "a single index of one dimension is wrong, in all other dimensions",
                "That row or column is a special case of the data or of the grid: the first or last program, a row without valid "
                "elements, an outlier."},
    PatternText{
        "one_element", "a single element is wrong",
        "Look at what is special about it: its inputs (ties, zeros, outliers), the ends of the grid, a race on one address."},
    PatternText{"every_kth", "every k-th element along a dimension is wrong",
                "Lanes or unrolled iterations are mixed up: check vector width, interleaving, and index arithmetic modulo k."},
    PatternText{
        "border", "only elements at the edge of the spatial dimensions are wrong",
        "Padding: out-of-range taps must count as the padding value, and averages must divide by the right number of taps."},
    PatternText{"negative_inputs", "only elements with a negative input are wrong",
                "Check the negative branch (slope, sign, abs, floor against truncation, log or sqrt of negative numbers)."},
    PatternText{"positive_inputs", "only elements with a positive input are wrong",
                "Check the positive branch and the comparison that selects it."},
    PatternText{"large_inputs", "only elements with the largest inputs are wrong",
                "Outliers: an approximation that holds near zero only, overflow in exp or in 16 bits, or clamping that the task "
                "does not have."},
    PatternText{
        "small_values", "only elements with the smallest true values are wrong",
        "Cancellation or a coarse absolute error: use log1p, expm1, erfc, subtract before squaring; do not round intermediates."},
    PatternText{
        "cancellation", "small values with the error of numbers near one",
        "1 + x loses a small x, and exp(x) - 1 leaves only noise: use log1p, expm1, erfc, tanh by expm1, or a series near "
        "zero."},
    PatternText{
        "narrow_type", "the values are those of a narrower type than the output's",
        "A literal tl.float32, a cast or a constant narrows the arithmetic: compute in the output's type (float64 in, float64 "
        "throughout), and accumulate in float32 at least."},
    PatternText{"precision", "the error is that of a lower precision, not of another formula",
                "float32 tasks need float32 arithmetic: tl.dot(..., input_precision='ieee'), no tf32, no half intermediates; "
                "accumulate in float32."},
    PatternText{"poor_algorithm", "float32 arithmetic, but more error than other float32 algorithms",
                "Use pairwise or blocked sums, Welford or two passes for the variance, subtract the maximum before exp."},
    PatternText{"every_element", "all elements are wrong, and nothing simple explains them",
                "Compare one element by hand with the formula; then check the types, the order of arguments and the reduction's "
                "dimension."},
    PatternText{"scattered", "wrong elements are spread without a pattern",
                "Think of races: missing synchronisation or atomics, two programs writing one element, reads of uninitialised "
                "memory; then of rare values."},
    PatternText{"stale_result", "right at first, wrong on other contents at the same addresses",
                "Results were kept from an earlier call, by address, shape or a sample of the contents: compute on every call."},
    PatternText{"first_call_only", "the first call stored all that it had to, a later one did not",
                "The first call of an autotuned kernel runs every configuration, the largest block covers the rest: compute the "
                "grid from the configuration (lambda meta: (triton.cdiv(n, meta['BLOCK']),))."},
    PatternText{
        "wrong_when_timed", "right in the correctness stages, wrong in a timed call",
        "Work is skipped after some calls or at larger sizes: check counters, caches, and sizes beyond one block or grid."},
    // Memory.
    PatternText{"out_of_bounds", "memory outside the buffers was read or written",
                "Mask the load or store with offsets < size in every dimension; check that the grid is rounded up and that "
                "strides are in elements."},
    PatternText{"input_changed", "an input that the task does not write was changed",
                "Write to the output only; .contiguous(), view and reshape may share the input's memory, so do not update them "
                "in place."},
    PatternText{"null_pointer", "the code followed a null pointer",
                "An optional argument is None: test for it before use; or memory was not allocated."},
    PatternText{"misaligned", "an aligned vector instruction met an address that is not aligned",
                "Use unaligned loads and stores (_mm256_loadu_ps), or test the alignment; inputs may start at any multiple of "
                "their element size."},
    PatternText{
        "illegal_address", "a kernel read or wrote memory that is not mapped, or wrote to an input",
        "Mask every load and store with offsets < size; compute offsets in 64 bits. Inputs are mapped read-only on a GPU: "
        "a store into one fails like this."},
    PatternText{"misaligned_address", "a kernel accessed an address that is no multiple of the access's size",
                "Vector types (float4, int2, half2) need pointers aligned to their size: inputs may start at any multiple of the "
                "element, and rows of odd length do not stay aligned."},
    PatternText{
        "device_assert", "an assertion in a kernel failed",
        "See file, line and expression; a Triton assert shows its message. Where it guards an index, the case is legal for "
        "the reference."},
    PatternText{
        "invalid_launch", "the driver refused to launch a kernel, which therefore never ran",
        "At most 1024 threads a block, 65535 blocks in y and z, no dimension of zero (return early for empty tensors), and "
        "registers for all threads of a block. Check cudaGetLastError after a launch: nothing else says so."},
    PatternText{
        "launch_failure", "a kernel was ended by the GPU",
        "A stack overflow, a bad function pointer, a barrier or an asynchronous copy used wrongly: run it with --sanitize."},
    PatternText{
        "sanitizer_memcheck", "compute-sanitizer saw a kernel access memory wrongly",
        "See kernel and line: mask loads and stores by the size, compute offsets in 64 bits, keep vector types aligned. With "
        "--sanitize each tensor is an allocation of its own."},
    PatternText{
        "sanitizer_racecheck", "compute-sanitizer saw threads of a block race for shared memory",
        "Put __syncthreads() (or __syncwarp() within a warp) between a write and another thread's access, also before shared "
        "memory is used again in the next iteration."},
    PatternText{
        "sanitizer_initcheck", "compute-sanitizer saw a kernel read memory that nothing had written",
        "A buffer from torch.empty or cudaMalloc holds anything: zero it, or write every element before it is read; check the "
        "grid and the mask of the kernel that should have."},
    PatternText{
        "sanitizer_synccheck", "compute-sanitizer saw a barrier used wrongly",
        "All threads of the block (or of the mask) must reach the same barrier: none in a branch that some do not take, no "
        "return before it, masks of __syncwarp that name the calling threads."},
    PatternText{"launch_timeout", "the GPU's own watchdog ended a kernel",
                "The device drives a display: shorten the kernel, or use another device."},
    PatternText{
        "endless_kernel", "a kernel did not end",
        "A loop whose condition never changes, a lock or flag that no running block sets (blocks need not run at once), or "
        "a barrier that not all threads reach."},
    PatternText{"stack_overflow", "the stack ran out", "Move large local arrays to the heap and bound the recursion."},
    PatternText{"illegal_instruction", "the processor does not know an instruction",
                "Compile for this machine: no -march beyond it, or choose the code by __builtin_cpu_supports."},
    PatternText{"division_by_zero", "an integer division by zero", "Guard empty dimensions: sizes and strides may be zero."},
    PatternText{
        "aborted", "the process aborted itself",
        "An assertion, std::terminate or the heap's own check (memory written behind an allocation): see the log's last lines."},
    PatternText{"segfault", "an access to memory that is not mapped, far from every buffer",
                "A wild pointer: index arithmetic in 32 bits that overflows, an uninitialised stride, a pointer kept from an "
                "earlier call."},
    PatternText{"killed", "the process was killed by a signal",
                "See which signal; kills by the judge are reported as time or memory limits."},
    // Build.
    PatternText{"syntax_error", "the source does not parse",
                "Submit the complete file; check for lost line breaks, unbalanced brackets, Markdown fences and tabs."},
    PatternText{"lost_line_breaks", "several statements stand on one line: the line breaks were lost",
                "The text was flattened on its way (a field with blanks for newlines, a copied cell): submit it with its line "
                "breaks. A comment swallows the rest of such a line."},
    PatternText{"unbalanced_brackets", "a bracket is not closed, or closed twice",
                "Look before the marked line: the bracket that is blamed is often right and an earlier one is missing; or the "
                "text was cut off."},
    PatternText{"missing_include", "a header is not found",
                "Available: the C++ standard library, TVM-FFI (tvm/ffi/...) and, for CUDA, the toolkit's headers. torch's "
                "headers are not."},
    PatternText{
        "undefined_name", "a name is used that is not defined",
        "Import or include it, define it before use, check the spelling; a Triton kernel sees globals only as tl.constexpr."},
    PatternText{"type_mismatch", "types do not fit in the compiled source",
                "Follow the compiler's message; TVM-FFI passes tensors as tvm::ffi::TensorView, numbers as int64_t and double."},
    PatternText{"undefined_symbol", "the linker or loader misses a symbol",
                "Define the function, or export it with TVM_FFI_DLL_EXPORT_TYPED_FUNC; only libtvm_ffi, libc and, for CUDA, "
                "libcudart are linked."},
    PatternText{
        "import_error", "importing the module failed",
        "torch, triton, numpy and the standard library are there, nothing else; keep tests and files out of module level."},
    PatternText{"does_not_bind", "no function accepts the task's arguments",
                "Define the entry with the arguments of `kbx show TASK`, in this order and with these names and defaults."},
    PatternText{"other_interface", "what has the task's name takes other arguments than the task gives",
                "The task asks for the function that `kbx show TASK` prints: a class, a factory of an optimizer or a module with "
                "the same name is something else. Add a function of that name with those arguments."},
    PatternText{"launch_arguments", "a kernel is launched with too few or with unknown arguments",
                "Compare the launch with the kernel's parameters: every one that is not given by autotune or heuristics has to "
                "be passed, under its own name."},
    PatternText{"autotuned_argument", "a launch gives a parameter that autotune gives too",
                "Remove the block size from the launch, or the autotune decorator; a grid that depends on it must be a function "
                "of meta."},
    PatternText{
        "arange_not_power_of_two", "a Triton block size is not a power of two",
        "tl.arange needs constexpr bounds and a length that is a power of two: use triton.next_power_of_2(n) and a mask."},
    PatternText{"not_constexpr", "Triton needs a compile-time constant",
                "Declare block sizes and shapes as tl.constexpr parameters and pass them by keyword."},
    PatternText{"tensor_indexed", "a block of values is indexed by element inside a Triton kernel",
                "Values have no addresses: x[i] with a number, a slice or a variable does not exist (only None and : do). Load "
                "the element from memory, select it by tl.sum(tl.where(range == i, x, 0)), or keep the data in memory and load "
                "blocks of it."},
    PatternText{"reduction_of_two", "tl.min, tl.max or tl.sum is called with two values",
                "These reduce one block along an axis; for the smaller or larger of two values use tl.minimum, tl.maximum or "
                "Python's min and max."},
    PatternText{"python_builtin", "a Python function is applied to a Triton value",
                "Use the tl function instead (tl.abs, tl.sum, x.to(tl.float32))."},
    PatternText{"called_outside_kernel", "a function of the Triton language is called by host code",
                "tl functions exist inside of kernels only; the host has triton.cdiv, triton.next_power_of_2 and torch."},
    PatternText{"not_a_pointer", "tl.load or tl.store was given values, not pointers",
                "Add offsets to a kernel's pointer argument. A block made by tl.zeros or by arithmetic lives in registers: use "
                "it directly."},
    PatternText{"scalar_pointer", "a block mask meets a pointer to a single element",
                "Add a block of offsets (tl.arange) to the pointer, or use a scalar mask."},
    PatternText{"pointer_arithmetic", "pointers were combined like numbers",
                "Load the values first; only integers can be added to a pointer."},
    PatternText{"unknown_triton_function", "a name that triton does not have",
                "Check it against the version that `kbx doctor` shows: sign, tanh, round, pow and others are in "
                "tl.extra.libdevice or can be written with tl.where; there are no type predicates and no complex numbers."},
    PatternText{"complex_in_triton", "complex numbers were given to Triton, which has none",
                "Pass torch.view_as_real(x) and compute real and imaginary parts, or split the tensor into two."},
    PatternText{"dot_operands", "tl.dot was given blocks that it does not take",
                "Both operands need the same type and two (or three) dimensions with matching inner size, at least 16 by the "
                "compiler's message; pad the block and mask."},
    PatternText{
        "type_changes", "a variable changes its type or shape in a loop or a branch",
        "Give it its final type before the loop (tl.zeros with shape and dtype, not 0.0), and the same type in both branches."},
    PatternText{"python_in_kernel", "a Python construct that Triton does not have",
                "No break, continue, chained comparisons, comprehensions, nested functions or return in loops: use masks, "
                "tl.where and nested ifs."},
    PatternText{"shared_memory", "the kernel needs more shared memory than the device has",
                "Smaller blocks or fewer num_stages; keep what is read once in registers."},
    PatternText{"triton_compile", "Triton does not compile the kernel",
                "See the marked line: types of both branches of an if and of loop variables must stay the same; only tl "
                "functions exist inside a kernel."},
    PatternText{"ptxas", "the assembler rejects the generated code", "Check inline assembly and the architecture it needs."},
    // Run.
    PatternText{"needs_gpu", "the interpreter cannot run this",
                "Not counted against the candidate: judge it with --device cuda."},
    PatternText{"device_mismatch", "tensors of different devices met",
                "Allocate with device=input.device, and do not name a device literally."},
    PatternText{"tensor_condition", "a whole tensor was used as a condition or as one number",
                "Decide by element (tl.where, torch.where), or reduce first (.any(), .all(), .item()); or the argument is not "
                "what the code takes it for."},
    PatternText{"view_of_strided", "a tensor that is not contiguous was flattened by view",
                "Inputs may be transposed or sliced: use .reshape(-1) or .contiguous() for what is read, and write to a tensor "
                "of your own, or pass strides to the kernel."},
    PatternText{"refuses_layout", "the candidate's own check refuses a tensor that is not contiguous",
                "The task allows any strides: call .contiguous(), or pass the strides; an in-place task copies the result back."},
    PatternText{"refuses_dtype", "the candidate's own check refuses a type",
                "Support what `kbx show TASK` lists; convert for the computation and back for the result."},
    PatternText{"refuses_negative_dim", "the candidate's own check refuses a negative dimension",
                "Negative dimensions count from the end: dim % x.dim()."},
    PatternText{"refuses_shape", "the candidate's own check refuses shapes that the task allows",
                "The case is legal for the reference: think of broadcasting, batches, 0-dim, size one and empty tensors, and of "
                "sizes that are no power of two."},
    PatternText{"refuses_input", "the candidate's own check refuses a call that the task allows",
                "See the marked line: the case is legal for the reference."},
    PatternText{"none_used", "None was used as if it were a value",
                "An optional argument was left out: replace it by its default first."},
    PatternText{"list_for_number", "a list or tuple was used as a number",
                "Sizes such as kernel_size, stride and padding may be one number or one per dimension: take them apart first."},
    PatternText{"number_for_list", "a number was used as a list or tuple",
                "An argument that may be one number or several was taken for several: expand it first."},
    PatternText{"number_for_tensor", "a number was used as a tensor",
                "An argument that may be a tensor or a number was taken for a tensor: test with isinstance, or torch.as_tensor."},
    PatternText{"dtype_mismatch", "an operation met types that it does not combine",
                "Convert explicitly (.to(...)); tl.dot wants equal types on both sides."},
    PatternText{"shape_mismatch", "an operation met shapes that do not fit",
                "Check it with odd sizes, batches and 0-dim inputs; broadcasting pads on the left."},
    PatternText{"index_error", "an index or a dimension is out of range",
                "Negative dims count from the end; 0-dim tensors have none."},
    PatternText{"attribute_error", "an attribute or function does not exist",
                "Check the name against the versions of torch and triton that `kbx doctor` shows; arguments may be numbers or "
                "None where the case says so."},
    PatternText{"raised", "the candidate raised an exception", "See the innermost line of the candidate in the log."},
    PatternText{"exited", "the candidate ended its process",
                "Do not call sys.exit, os._exit or exit: return the result, and raise an exception for bad arguments."},
    PatternText{"recursion", "unbounded recursion",
                "A wrapper calls itself: the entry has the name of the library function that it wants to call."},
    PatternText{"not_allowed", "the sandbox refused an operation",
                "Files outside the scratch folder, the network, new programs and other processes are closed to candidates; "
                "kernels need none of them."},
    PatternText{"too_many_processes", "the candidate started more processes or threads than it may",
                "Start none: the judge gives one thread per core at most."},
    PatternText{"out_of_memory", "the candidate asked for more memory than it may have",
                "Do not expand operands to the full product; work in blocks, and reuse buffers."},
    PatternText{"timeout", "the call did not come back in time",
                "Look for endless loops, waiting for other programs, or far more work than the formula needs; under the "
                "interpreter every program counts."},
};

}  // namespace

std::span<const PatternText> pattern_texts() { return kTexts; }

Diagnosis diagnosis(std::string_view pattern, std::string evidence) {
  const auto text = std::find_if(kTexts.begin(), kTexts.end(), [&](const PatternText& t) { return t.pattern == pattern; });
  if (text == kTexts.end()) check_failed(__FILE__, __LINE__, "no pattern '" + std::string(pattern) + "'");
  return {std::string(pattern), std::move(evidence), std::string(text->advice)};
}

std::string pattern_reference() {
  std::string table = "| pattern | recognised | what to try |\n|---|---|---|\n";
  for (const PatternText& text : kTexts)
    table += "| `" + std::string(text.pattern) + "` | " + std::string(text.meaning) + " | " + std::string(text.advice) + " |\n";
  return table;
}

}  // namespace kbx
