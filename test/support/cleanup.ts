/** Runs functions at its end: a test's context, or a benchmark. */
export interface Cleanup {
  readonly after: (stop: () => void | Promise<void>) => void;
}
