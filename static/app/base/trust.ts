/**
 * Takes what the service, a stored copy or this browser's storage holds for what its description says that it is: the
 * one place where the app believes instead of looking.
 */
// eslint-disable-next-line @typescript-eslint/consistent-type-assertions, @typescript-eslint/no-unnecessary-type-parameters
export const trust = <Value>(value: unknown): Value => value as Value;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
