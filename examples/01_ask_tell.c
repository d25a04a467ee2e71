/* 01_ask_tell.c - the smallest use of libtacit: a space, an optimizer, ask and tell. It begins with
 * two results that were there before.
 *
 *     cc 01_ask_tell.c $(pkg-config --cflags --libs tacit) -lm
 *
 * The function stands for a training run: its loss is least at a learning rate of 0.01, four
 * layers and the activation "tanh". */
#include <tacit/optimizer.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { TRIALS = 40 };

static double loss(double rate, double layers, double activation)
{
    double far_off = log10(rate) + 2;
    return far_off * far_off + 0.1 * (layers - 4) * (layers - 4) + (activation == 1 ? 0 : 0.3);
}

static tacit_space *make_space(tacit_error *err)
{
    const char *const activations[] = {"relu", "tanh", "gelu"};
    tacit_space *space;
    if (tacit_space_new(&space, err) != TACIT_OK)
        return NULL;
    if (tacit_space_add_float(space, "rate", 1e-5, 1, 0, true, err) == TACIT_OK &&
        tacit_space_add_int(space, "layers", 1, 8, 1, false, err) == TACIT_OK &&
        tacit_space_add_choice(space, "activation", 3, activations, err) == TACIT_OK)
        return space;
    tacit_space_free(space);
    return NULL;
}

/* What somebody tried by hand last week. */
static tacit_status add_earlier(tacit_optimizer *o, tacit_error *err)
{
    const double earlier[2][3] = {{0.1, 2, 0}, {0.003, 6, 2}};
    for (int i = 0; i < 2; i++) {
        const double *x = earlier[i];
        tacit_status status = tacit_optimizer_add(o, x, loss(x[0], x[1], x[2]), NULL, err);
        if (status != TACIT_OK)
            return status;
    }
    return TACIT_OK;
}

static tacit_status run_trials(tacit_optimizer *o, tacit_error *err)
{
    for (int i = 0; i < TRIALS; i++) {
        uint64_t trial;
        double x[3];
        tacit_status status = tacit_optimizer_ask(o, &trial, x, err);
        if (status == TACIT_OK)
            status = tacit_optimizer_tell(o, trial, loss(x[0], x[1], x[2]), err);
        if (status != TACIT_OK)
            return status;
    }
    return TACIT_OK;
}

static void print_best(const tacit_optimizer *o, const tacit_space *space)
{
    uint64_t trial;
    double x[3], value;
    char text[TACIT_VALUE_SIZE];
    if (tacit_optimizer_best(o, &trial, x, &value, NULL) != TACIT_OK)
        return;
    printf("trial %" PRIu64 " has the least loss, %.4f\n", trial, value);
    for (size_t i = 0; i < tacit_space_params(space); i++) {
        const char *name = tacit_space_param_name(space, i);
        if (tacit_space_format(space, x, name, text, NULL) == TACIT_OK)
            printf("  %-10s %s\n", name, text);
    }
}

int main(void)
{
    tacit_error err;
    tacit_space *space = make_space(&err);
    if (!space) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    opts.direction = TACIT_MINIMIZE;
    opts.seed = 1;
    tacit_optimizer *o = NULL;
    tacit_status status = tacit_optimizer_new(&o, space, &opts, &err);
    if (status == TACIT_OK)
        status = add_earlier(o, &err);
    if (status == TACIT_OK)
        status = run_trials(o, &err);
    if (status == TACIT_OK)
        print_best(o, space);
    else
        fprintf(stderr, "%s\n", err.msg);
    tacit_optimizer_free(o);
    tacit_space_free(space);
    return tacit_status_exit(status);
}
