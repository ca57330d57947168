/* SPDX-License-Identifier: GPL-2.0 */
/* decimal_fraction.h - decimal fractions in what other programs print */
#ifndef KTRACED_CLOCKS_DECIMAL_FRACTION_H
#define KTRACED_CLOCKS_DECIMAL_FRACTION_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * decimal_fraction - read a number such as -0.000012 or +3
 * @text:	the whole text: an optional sign, digits, and perhaps a point and digits
 * @digits:	digits after the point that the result has
 * @out:	the number times 10^@digits, rounded down to a whole number without its sign
 *
 * Return: false if it is not such a number, or too large.
 */
bool decimal_fraction(const char *text, unsigned int digits, __s64 *out);

#endif
