/* The picture: of `ab run` the values of the verdict's figure, pair by pair; of `ab daemon` each of the first two
 * figures over the depths. Orange circles are without the preload, blue squares with it. */
#include "ab.h"
#include "plot.h"

#include <math.h>

static void label(FILE *script, const char *axis, const struct ab_figure *figure) {
    char text[METRIC_NAME + 12];
    snprintf(text, sizeof text, *figure->unit ? "%s (%s)" : "%s", figure->name, figure->unit);
    fprintf(script, "set %slabel ", axis);
    plot_quote(script, text);
    fputc('\n', script);
}

static void styles(FILE *script) {
    fputs("set style line 1 lc rgb '#d95f02' pt 7 ps 1.1 lw 2\nset style line 2 lc rgb '#1f78b4' pt 5 ps 1.1 lw 2\n"
          "set key outside top center horizontal\n"
          "set format y '%.6g'\n",
          script);
}

/* A twelfth of room above and below the values, but nothing under 0 where there is nothing. */
static void set_yrange(FILE *script, const double values[AB_ARMS][PAIRS_MAX], int count) {
    double low = values[0][0], high = low;
    for (int i = 0; i < count * AB_ARMS; i++) {
        low = fmin(low, values[i / count][i % count]);
        high = fmax(high, values[i / count][i % count]);
    }
    double room = high > low ? (high - low) / 12 : fabs(high) / 12 + 1e-9;
    fprintf(script, "set yrange [%.9g:%.9g]\n", low >= 0 ? fmax(0, low - room) : low - room, high + room);
}

static void draw_run(FILE *script, const struct ab_experiment *experiment) {
    double values[AB_ARMS][PAIRS_MAX], median[AB_ARMS];
    int count = ab_pairs(experiment, 0, 0, values[WITHOUT], values[WITH]);
    fputs("$pairs << END\n", script);
    for (int i = 0; i < count; i++)
        fprintf(script, "%d %.9g %.9g\n", i + 1, values[WITHOUT][i], values[WITH][i]);
    fputs("END\n", script);
    for (int arm = 0; arm < AB_ARMS; arm++)
        median[arm] = statistics_median(values[arm], (size_t)count);
    label(script, "y", &experiment->figures[0]);
    set_yrange(script, values, count);
    fprintf(script, "set xlabel 'pair'\nset xtics %d\nset xrange [0.5:%d.5]\n", 1 + count / 20, count);
    fprintf(
        script,
        "plot $pairs using 1:2 with points ls 1 title 'without', %.9g with lines ls 1 dt 2 title 'its median', "
        "$pairs using 1:3 with points ls 2 title 'with the preload', %.9g with lines ls 2 dt 2 title 'its median'\n",
        median[WITHOUT], median[WITH]);
}

/* Medians, and whiskers from the least to the greatest value. */
static void depth_data(FILE *script, const struct ab_experiment *experiment, int figure) {
    double values[AB_ARMS][PAIRS_MAX];
    fprintf(script, "$figure%d << END\n", figure);
    for (int depth = 0; depth < experiment->depths_count; depth++) {
        int count = ab_pairs(experiment, depth, figure, values[WITHOUT], values[WITH]);
        if (!count)
            continue;
        fprintf(script, "%d", experiment->depths[depth]);
        for (int arm = 0; arm < AB_ARMS; arm++) {
            statistics_sort(values[arm], (size_t)count);
            fprintf(script, " %.9g %.9g %.9g", statistics_median(values[arm], (size_t)count), values[arm][0],
                    values[arm][count - 1]);
        }
        fputc('\n', script);
    }
    fputs("END\n", script);
}

static void draw_depths(FILE *script, const struct ab_experiment *experiment, int shown) {
    for (int figure = 0; figure < shown; figure++)
        depth_data(script, experiment, figure);
    fprintf(script, "set multiplot layout %d,1\nset logscale x 2\nset offsets graph 0.04, graph 0.04\nset xtics (",
            shown);
    for (int depth = 0; depth < experiment->depths_count; depth++)
        fprintf(script, "%s%d", depth ? ", " : "", experiment->depths[depth]);
    fputs(")\nset xlabel 'depth (requests at once)'\n", script);
    for (int figure = 0; figure < shown; figure++) {
        label(script, "y", &experiment->figures[figure]);
        fprintf(script,
                "plot [][0:*] $figure%d using 1:2:3:4 with yerrorlines ls 1 title 'without', "
                "$figure%d using 1:5:6:7 with yerrorlines ls 2 title 'with the preload'\n",
                figure, figure);
    }
    fputs("unset multiplot\n", script);
}

bool ab_plot(const struct ab_experiment *experiment, const char *file) {
    bool depths = experiment->depths[0] != 0;
    int shown = depths && experiment->figures_count > 1 ? 2 : 1;
    FILE *script = plot_open(file, shown == 2 ? 760 : 420);
    if (!script)
        return false;
    styles(script);
    if (depths)
        draw_depths(script, experiment, shown);
    else
        draw_run(script, experiment);
    return plot_close(script, file);
}
