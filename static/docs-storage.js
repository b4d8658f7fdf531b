// What the browser stores for this page: whether it is worth asking for a session. Tokens are never stored.

// The key in the storage of this tab that marks a sign-in with a provider as started here.
const STARTED = 'sign-in started';
// The key in the storage of all tabs with the time of the last sign-in.
const SIGNED_IN = 'signed in at';

/** Notes that there is a session, for the next visit and for other tabs. */
export function noteSignIn() {
  ifAllowed(() => localStorage.setItem(SIGNED_IN, String(Date.now())));
}

/** Notes that there is none. */
export function forgetSignIn() {
  ifAllowed(() => localStorage.removeItem(SIGNED_IN));
}

/** Whether there may be a session. */
export function mayBeSignedIn() {
  return Boolean(ifAllowed(() => localStorage.getItem(SIGNED_IN)));
}

/** Calls `follow` when another tab has signed in (`true`) or out. */
export function onSignInElsewhere(follow) {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === SIGNED_IN) follow(newValue !== null);
  });
}

/** Notes that a sign-in with a provider starts in this tab. */
export function noteStart() {
  ifAllowed(() => sessionStorage.setItem(STARTED, 'yes'));
}

/** Whether one was started in this tab; forgets it. */
export function takeStart() {
  const isStarted = Boolean(ifAllowed(() => sessionStorage.getItem(STARTED)));
  ifAllowed(() => sessionStorage.removeItem(STARTED));
  return isStarted;
}

/** Where a browser forbids storage, a page asks for a new sign-in after each reload. */
function ifAllowed(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}
