import type { Principal } from '../http/context.ts';

/** Who is behind every request in mode none: the placeholder user of SPEC.md, "Modes". */
const PLACEHOLDER_USER: Principal = { userId: 1, isAdmin: true };

/** The check of callers in mode none, in which every route is open to everybody. */
export function authenticateNobody(): Principal {
  return PLACEHOLDER_USER;
}
