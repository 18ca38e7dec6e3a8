/** Waits for all, also when one fails: nothing may still be under way when the failure is cleaned up. */
export async function settleAll<Results extends readonly unknown[]>(work: {
  readonly [Index in keyof Results]: Promise<Results[Index]>;
}): Promise<Results> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as Results;
}
