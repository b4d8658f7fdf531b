// Pages over plain HTTP have none.
const locks = (): LockManager | undefined => navigator.locks;

export const hasLocks = () => locks() !== undefined;

/** Runs something in one tab at a time; without locks in this one at once. */
export const inTurn = <Result>(name: string, run: () => Promise<Result>): Promise<Result> =>
  locks()?.request(name, run) ?? run();
