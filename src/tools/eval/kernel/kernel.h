/*
 * The programs of the kernels of eval, as they are in this folder. The parts of the Python kernel
 * are run one after the other, in this order.
 */
#pragma once

extern const char pipes_py[];
extern const char values_py[];
extern const char helpers_py[];
extern const char magics_py[];
extern const char cells_py[];

extern const char kernel_mjs[];
