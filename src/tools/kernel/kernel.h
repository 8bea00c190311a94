/*
 * The programs of the kernels of eval (kernel.py, kernel.mjs), as they are in this folder.
 */
#pragma once

extern const char kernel_py[];
extern const char kernel_mjs[];
