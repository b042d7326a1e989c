/* The thesis's figures as tables: a row for each network, and what the text says beside our numbers. */
#include "papers/rnn.h"

#include <math.h>
#include <string.h>

static const RnnInput basic[] = {RN_BASIC,     RN_BASIC_2L,   RN_BASIC_8L,
                                 RN_BASIC_H64, RN_BASIC_H256, RN_BASIC_LONG};
static const RnnInput gru[] = {RN_GRU, RN_GRU_2L, RN_GRU_8L, RN_GRU_H64, RN_GRU_H256, RN_GRU_LONG};
static const RnnInput lstm[] = {RN_LSTM, RN_LSTM_2L, RN_LSTM_8L, RN_LSTM_H64, RN_LSTM_H256, RN_LSTM_LONG};
static const RnnInput others[] = {RN_GROUPED, RN_PHASED};
static const RnnInput usual[] = {RN_BASIC, RN_GRU, RN_LSTM, RN_GROUPED, RN_PHASED}; /* of one shape */
static const RnnInput all[] = {RN_BASIC,      RN_BASIC_2L,  RN_BASIC_8L,  RN_BASIC_H64, RN_BASIC_H256,
                               RN_BASIC_LONG, RN_GRU,       RN_GRU_2L,    RN_GRU_8L,    RN_GRU_H64,
                               RN_GRU_H256,   RN_GRU_LONG,  RN_LSTM,      RN_LSTM_2L,   RN_LSTM_8L,
                               RN_LSTM_H64,   RN_LSTM_H256, RN_LSTM_LONG, RN_GROUPED,   RN_PHASED};

enum { TABLE_COLUMNS = 10 };

/* A figure: networks and quantities of each; numbers that stand in no statistic are put in front of these. */
typedef struct Table {
    const char *name, *title;
    const RnnInput *inputs;
    size_t input_count;
    void (*add_columns)(Sheet *sheet);                                 /* null: none are put in front */
    void (*put)(Sheet *sheet, const Results *results, RnnInput input); /* as many cells */
    size_t put_count;
    Column columns[TABLE_COLUMNS]; /* a null name behind the last one */
    const char *published;         /* beside the average; null: nothing is */
    bool without_average, plotted;
} Table;

static double time_of(const Results *results, RnnInput input, RnnMode mode)
{
    return quantity_value(results, (Quantity){RNM_TIME, mode, ALONE, 0}, input);
}

/* -- numbers from shapes -- */

enum { ORDER_COLUMNS = 3, MEMORY_COLUMNS = 4, WAVE_COLUMNS = 7 };

static void add_order_columns(Sheet *sheet)
{
    sheet_column(sheet, "cells");
    sheet_column_in(sheet, "a cell, PT-rnn", "us");
    sheet_column_in(sheet, "a step, arrays", "us");
}

/* One cell behind the other, or steps of a wavefront with a cell of each layer. */
static void put_order(Sheet *sheet, const Results *results, RnnInput input)
{
    const RnnShape shape = rnn_shape(input, results->size);
    const double cells = (double)shape.layers * shape.steps, steps = (double)shape.layers + shape.steps - 1;
    sheet_number(sheet, cells, 0);
    sheet_number(sheet, time_of(results, input, RN_PERSISTENT) / cells, 2);
    sheet_number(sheet, time_of(results, input, RN_ARRAYS) / steps, 2);
}

static void add_memory_columns(Sheet *sheet)
{
    sheet_column_in(sheet, "weights", "KB");
    sheet_column_in(sheet, "inputs", "KB");
    sheet_column_in(sheet, "temporal outputs", "KB");
    sheet_column_in(sheet, "share of weights", "%");
}

static void put_memory(Sheet *sheet, const Results *results, RnnInput input)
{
    const RnnMemory memory = rnn_memory(input);
    (void)results;
    sheet_number(sheet, memory.weights / 1000, 0);
    sheet_number(sheet, memory.inputs / 1000, 0);
    sheet_number(sheet, memory.outputs / 1000, 0);
    sheet_number(sheet, rnn_weight_share(input), 1);
}

static const RnnMode wave_modes[] = {RN_STREAM, RN_PERSISTENT, RN_SPLIT, RN_ARRAYS, RN_FLAGS, RN_HARDWARE};

static void add_wave_columns(Sheet *sheet)
{
    static const char *const names[] = {"stream", "PT-rnn", "wait-signal", "arrays", "flags", "hardware"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sheet_column_in(sheet, names[i], "times");
    sheet_column_in(sheet, "steps of a wavefront", "times");
}

/* The network with two layers is the next one. */
static void put_wave(Sheet *sheet, const Results *results, RnnInput input)
{
    const RnnInput half = (RnnInput)(input + 1);
    const RnnShape four = rnn_shape(input, results->size), two = rnn_shape(half, results->size);
    for (size_t i = 0; i < sizeof wave_modes / sizeof *wave_modes; i++)
        sheet_number(sheet, time_of(results, input, wave_modes[i]) / time_of(results, half, wave_modes[i]),
                     2);
    sheet_number(sheet, (four.steps + four.layers - 1.0) / (two.steps + two.layers - 1.0), 2);
}

/* -- the tables -- */

#define INPUTS(array) .inputs = array, .input_count = sizeof array / sizeof *array
#define OF(metric, mode)                                                                                     \
    {                                                                                                        \
        metric, mode, ALONE, 0                                                                               \
    }
/* How many times as fast as another mode. */
#define SPEEDUP(mode, other)                                                                                 \
    {                                                                                                        \
        RNM_TIME, other, OVER, mode                                                                          \
    }
/* The same, in % more. */
#define FASTER(mode, other)                                                                                  \
    {                                                                                                        \
        RNM_TIME, other, RISE, mode                                                                          \
    }
#define TIMES(base)                                                                                          \
    {                                                                                                        \
        {"stream", OF(RNM_TIME, (base) + RN_STREAM), 1, "us"},                                               \
            {"PT-rnn", OF(RNM_TIME, (base) + RN_PERSISTENT), 1, "us"},                                       \
            {"wait-signal", OF(RNM_TIME, (base) + RN_SPLIT), 1, "us"},                                       \
            {"arrays", OF(RNM_TIME, (base) + RN_ARRAYS), 1, "us"},                                           \
            {"entry", OF(RNM_TIME, (base) + RN_ENTRY), 1, "us"},                                             \
            {"counter", OF(RNM_TIME, (base) + RN_COUNTER), 1, "us"},                                         \
            {"flags", OF(RNM_TIME, (base) + RN_FLAGS), 1, "us"},                                             \
            {"hardware", OF(RNM_TIME, (base) + RN_HARDWARE), 1, "us"},                                       \
    }
#define SPEEDUPS(base)                                                                                       \
    {                                                                                                        \
        {"PT-rnn", SPEEDUP((base) + RN_PERSISTENT, (base) + RN_STREAM), 2, "times"},                         \
            {"wait-signal", SPEEDUP((base) + RN_SPLIT, (base) + RN_STREAM), 2, "times"},                     \
            {"arrays", SPEEDUP((base) + RN_ARRAYS, (base) + RN_STREAM), 2, "times"},                         \
            {"flags", SPEEDUP((base) + RN_FLAGS, (base) + RN_STREAM), 2, "times"},                           \
            {"hardware", SPEEDUP((base) + RN_HARDWARE, (base) + RN_STREAM), 2, "times"},                     \
            {"wait-signal over PT-rnn", FASTER((base) + RN_SPLIT, (base) + RN_PERSISTENT), 0, "%"},          \
            {"arrays over PT-rnn", FASTER((base) + RN_ARRAYS, (base) + RN_PERSISTENT), 0, "%"},              \
            {"flags over PT-rnn", FASTER((base) + RN_FLAGS, (base) + RN_PERSISTENT), 0, "%"},                \
    }
/* What hardware adds to each way in software. */
#define HARDWARE(base)                                                                                       \
    {                                                                                                        \
        {"over wait-signal", FASTER((base) + RN_HARDWARE, (base) + RN_SPLIT), 0, "%"},                       \
            {"over arrays", FASTER((base) + RN_HARDWARE, (base) + RN_ARRAYS), 0, "%"},                       \
            {"over entry", FASTER((base) + RN_HARDWARE, (base) + RN_ENTRY), 0, "%"},                         \
            {"over counter", FASTER((base) + RN_HARDWARE, (base) + RN_COUNTER), 0, "%"},                     \
            {"over flags", FASTER((base) + RN_HARDWARE, (base) + RN_FLAGS), 0, "%"},                         \
            {"over PT-rnn", FASTER((base) + RN_HARDWARE, (base) + RN_PERSISTENT), 0, "%"},                   \
    }

static const Table tables[RNN_FIGURES] = {
    {.name = "times",
     .title = "Time on titanx, us",
     INPUTS(all),
     .columns = TIMES(0),
     .without_average = true},
    {.name = "passes",
     .title = "Launches of the wait-signal kernel: layers that do not fit on the GPU together take several",
     INPUTS(all),
     .columns = {{"wait-signal", OF(RNM_PASSES, RN_SPLIT), 0, NULL},
                 {"arrays", OF(RNM_PASSES, RN_ARRAYS), 0, NULL},
                 {"flags", OF(RNM_PASSES, RN_FLAGS), 0, NULL},
                 {"hardware", OF(RNM_PASSES, RN_HARDWARE), 0, NULL},
                 {"wait-signal, h200", OF(RNM_PASSES, RN_H200 + RN_SPLIT), 0, NULL},
                 {"arrays, h200", OF(RNM_PASSES, RN_H200 + RN_ARRAYS), 0, NULL}},
     .without_average = true},
    {.name = "figure12",
     .title =
         "Figures 12 and 14. What makes cells follow each other: kernels and barriers, and how many cells "
         "are computed at once",
     INPUTS(usual),
     .add_columns = add_order_columns,
     .put = put_order,
     .put_count = ORDER_COLUMNS,
     .columns = {{"kernels, stream", OF(RNM_KERNELS, RN_STREAM), 0, NULL},
                 {"at once, stream", OF(RNM_AT_ONCE, RN_STREAM), 2, NULL},
                 {"kernels, PT-rnn", OF(RNM_KERNELS, RN_PERSISTENT), 0, NULL},
                 {"barriers, PT-rnn", OF(RNM_BARRIERS, RN_PERSISTENT), 0, NULL},
                 {"kernels, arrays", OF(RNM_KERNELS, RN_ARRAYS), 0, NULL},
                 {"instructions, PT-rnn", OF(RNM_INSTRUCTIONS, RN_PERSISTENT), 0, "thousands"},
                 {"instructions, arrays", OF(RNM_INSTRUCTIONS, RN_ARRAYS), 0, "thousands"}},
     .without_average = true},
    {.name = "wavefront",
     .title =
         "Figures 11, 12 and 14. Time with four layers over time with two: 2 where cells follow one by one, "
         "the last column where all layers work at once",
     .inputs = (const RnnInput[]){RN_BASIC, RN_GRU, RN_LSTM},
     .input_count = 3,
     .add_columns = add_wave_columns,
     .put = put_wave,
     .put_count = WAVE_COLUMNS,
     .without_average = true},
    {.name = "figure13",
     .title = "Figure 13. Weights in the memory of a network with a batch of 4, from shapes, 100 steps "
              "(long: 250)",
     INPUTS(all),
     .add_columns = add_memory_columns,
     .put = put_memory,
     .put_count = MEMORY_COLUMNS,
     .published = "share of weights 68; from 30 to 90"},
    {.name = "figure15",
     .title =
         "Figure 15. Utilization of the GPU by persistent inference, %, in three senses; the second one is "
         "the claim's",
     INPUTS(all),
     .columns = {{"SMs with a block", OF(RNM_OCCUPIED, RN_PERSISTENT), 1, "%"},
                 {"utilized", OF(RNM_BUSY, RN_PERSISTENT), 1, "%"},
                 {"issued", OF(RNM_ISSUED, RN_PERSISTENT), 1, "%"},
                 {"utilized, wait-signal", OF(RNM_BUSY, RN_SPLIT), 1, "%"},
                 {"utilized, flags", OF(RNM_BUSY, RN_FLAGS), 1, "%"},
                 {"utilized, hardware", OF(RNM_BUSY, RN_HARDWARE), 1, "%"}},
     .published = "utilized 50"},
    {.name = "figure32",
     .plotted = true,
     .title = "Figure 32. Speedup of basic RNNs over streams, and over PT-rnn",
     INPUTS(basic),
     .columns = SPEEDUPS(0),
     .published = "wait-signal over PT-rnn 37; of all kinds"},
    {.name = "figure33",
     .plotted = true,
     .title = "Figure 33. Speedup of GRUs over streams, and over PT-rnn",
     INPUTS(gru),
     .columns = SPEEDUPS(0),
     .published = "wait-signal over PT-rnn 37; of all kinds"},
    {.name = "figure34",
     .plotted = true,
     .title = "Figure 34. Speedup of LSTMs over streams, and over PT-rnn",
     INPUTS(lstm),
     .columns = SPEEDUPS(0),
     .published = "wait-signal over PT-rnn 37; of all kinds"},
    {.name = "others",
     .title = "Speedup of grouped and phased LSTMs over streams, and over PT-rnn",
     INPUTS(others),
     .columns = SPEEDUPS(0),
     .published = "wait-signal over PT-rnn 37; of all kinds"},
    {.name = "hardware",
     .title = "What wait-signal in hardware adds to each way in software on titanx, % faster; nothing is "
              "published",
     INPUTS(usual),
     .columns = HARDWARE(0)},
    {.name = "h200-times", .title = "Time on h200, us", INPUTS(usual), .columns = TIMES(RN_H200)},
    {.name = "h200-speedups",
     .title = "Speedup over streams and over PT-rnn on h200",
     INPUTS(usual),
     .columns = SPEEDUPS(RN_H200)},
    {.name = "h200-hardware",
     .title = "What wait-signal in hardware adds on h200, % faster; nothing is published",
     INPUTS(usual),
     .columns = HARDWARE(RN_H200)},
};

/* The mean over the table's networks that have the value. */
static double mean_of(const Results *results, const Table *table, Quantity quantity)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < table->input_count; i++) {
        const double value = quantity_value(results, quantity, table->inputs[i]);
        if (!isnan(value))
            sum += value, count++;
    }
    return quotient(sum, count);
}

/* Of the columns in front only the share of weights has one. */
static double mean_in_front(const Results *results, const Table *table, size_t column)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < table->input_count && table->put == put_memory && column == 3; i++)
        if (results_have(results, table->inputs[i]))
            sum += rnn_weight_share(table->inputs[i]), count++;
    return quotient(sum, count);
}

static void put_average(Sheet *sheet, const Results *results, const Table *table)
{
    sheet_text(sheet, "average");
    for (size_t i = 0; i < table->put_count; i++)
        sheet_number(sheet, mean_in_front(results, table, i), 1);
    for (const Column *column = table->columns; column->name; column++)
        sheet_number(sheet, mean_of(results, table, column->quantity), column->decimals);
    if (table->published)
        sheet_text(sheet, table->published);
}

static void put_input(Sheet *sheet, const Results *results, const Table *table, RnnInput input)
{
    sheet_text(sheet, results->benchmark(input));
    if (table->put)
        table->put(sheet, results, input);
    for (const Column *column = table->columns; column->name; column++)
        sheet_number(sheet, quantity_value(results, column->quantity, input), column->decimals);
    if (table->published)
        sheet_text(sheet, "");
}

Sheet rnn_figure(const Results *results, size_t index)
{
    const Table *table = &tables[index];
    Sheet sheet = {.name = table->name, .title = table->title, .plotted = table->plotted};
    sheet_column(&sheet, "benchmark");
    if (table->add_columns)
        table->add_columns(&sheet);
    for (const Column *column = table->columns; column->name; column++)
        sheet_column_in(&sheet, column->name, column->unit);
    if (table->published)
        sheet_column(&sheet, "published");
    for (size_t i = 0; i < table->input_count; i++)
        if (results_have(results, table->inputs[i]))
            put_input(&sheet, results, table, table->inputs[i]);
    if (!table->without_average)
        put_average(&sheet, results, table);
    return sheet;
}
