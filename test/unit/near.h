/* near.h - comparing doubles, which cmocka 1.1 does in single precision only. */
#ifndef PK11CACHE_NEAR_H
#define PK11CACHE_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static inline void assert_near_at(double got, double expected, double slack, const char *file, int line) {
    if (fabs(got - expected) <= slack)
        return;
    print_error("%.15g is not within %g of %.15g\n", got, slack, expected);
    _fail(file, line);
}

static inline void assert_between_at(double got, double low, double high, const char *file, int line) {
    if (low <= got && got <= high)
        return;
    print_error("%.15g is not between %g and %g\n", got, low, high);
    _fail(file, line);
}

#define assert_near(got, expected, slack) assert_near_at(got, expected, slack, __FILE__, __LINE__)
#define assert_between(got, low, high) assert_between_at(got, low, high, __FILE__, __LINE__)

#endif
