/* Where a paper's results go: on the terminal, as files into the options' folder, and into Markdown. */
#ifndef PAPERS_OUTPUT_H
#define PAPERS_OUTPUT_H

#include "papers/claims.h"
#include "papers/runs.h"

typedef struct PaperResults {
    const Paper *paper;
    const Experiment *experiment;
    const Sheet *figures;
    size_t figure_count;
    const Claims *claims;
    const Judgement *judgements; /* one for each claim */
} PaperResults;

/* Makes the folder, if one is wanted, and its folder "runs". False: an error stands. */
bool output_begin(const PaperOptions *options, Error *error);

/* The tables of figures, that of claims, and the runs that failed. A folder gets NAME.csv for each figure,
 * claims.csv and runs.csv, paper.json which says what these are, Markdown a generated part that is named
 * after the paper and the size of inputs. Tables that are plotted are drawn into NAME.svg of the folder, and
 * into images/PAPER-SIZE-NAME.svg beside the Markdown file. */
void output_results(const PaperResults *results, Error *error);

#endif
