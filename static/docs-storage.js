// Whether it is worth asking for a session, as the browser stores it. Tokens are never stored.

// The keys of a sign-in with a provider that started in this tab, and of the time of the last sign-in in any.
const STARTED = 'sign-in started';
const SIGNED_IN = 'signed in at';

export const noteSignIn = () => ifAllowed(() => localStorage.setItem(SIGNED_IN, Date.now()));
export const forgetSignIn = () => ifAllowed(() => localStorage.removeItem(SIGNED_IN));
export const mayBeSignedIn = () => ifAllowed(() => localStorage.getItem(SIGNED_IN)) ?? false;
export const noteStart = () => ifAllowed(() => sessionStorage.setItem(STARTED, 'yes'));

/** Calls `follow` when another tab has signed in (`true`) or out. */
export function onSignInElsewhere(follow) {
  addEventListener('storage', ({ key, newValue }) => key === SIGNED_IN && follow(newValue !== null));
}

/** Whether a sign-in with a provider was started in this tab; forgets it. */
export function takeStart() {
  return ifAllowed(() => {
    const isStarted = sessionStorage.getItem(STARTED) !== null;
    sessionStorage.removeItem(STARTED);
    return isStarted;
  });
}

/** Where a browser forbids storage, a page asks for a new sign-in after each reload. */
function ifAllowed(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}
