/* The descriptors of a job: output into its stream's ring, pending input out of it. For job.c only. */
#ifndef OFFSHOOT_JOB_IO_H
#define OFFSHOOT_JOB_IO_H

#include "job.h"

/* Takes a descriptor (-1: none) and makes it non-blocking. */
void job_output_adopt(struct job *job, int index, int fd);
void job_output_close(struct job_output *output);
/* Reads again after the ring was full; a chatty writer's pause goes on. */
void job_output_resume(struct job_output *output);
/* The process is gone: what its descriptor holds now is owed, and taken without pauses. */
void job_output_settle(struct job_output *output);

void job_input_adopt(struct job *job, int fd);
/* Later input is taken and dropped. */
void job_input_close(struct job *job);
/* Writes pending input, and its end, as far as the process takes it. */
void job_input_feed(struct job *job);

#endif
