// Tests run from a compiled copy of the checkout, which has what the service needs. All else is in the checkout alone: the
// sources, Git, the packages and what they are configured with.
const isCompiled = import.meta.url.endsWith('.js');

/** The checkout, from its compiled copy as well. */
export const CHECKOUT = new URL(isCompiled ? '../../../' : '../../', import.meta.url);

/** A module of the tests or the service by its address relative to that of another, with the ending that it has here. */
export function moduleAt(path: string, from: string): URL {
  return new URL(isCompiled ? path.replace(/\.ts$/, '.js') : path, from);
}
