/** Does so many pieces of work, some at once, each with its number from 0 on. The results are in this order. */
export async function inTurns<Result>(
  count: number,
  atOnce: number,
  work: (turn: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const turn = next;
      next += 1;
      results[turn] = await work(turn);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
