/* unit.c - runs a test suite
 * SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

int unit_run(const char *suite, const struct unit_test *tests)
{
    Suite *s = suite_create(suite);
    SRunner *runner;
    int failed;

    for (; tests->name; tests++) {
        TCase *c = tcase_create(tests->name);

        tcase_set_timeout(c, 60); /* under a sanitizer, on a machine that is busy */
        if (tests->loops)
            tcase_add_loop_test(c, tests->test, 0, tests->loops);
        else
            tcase_add_test(c, tests->test);
        suite_add_tcase(s, c);
    }
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
