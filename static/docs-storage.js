// What the browser stores: whether it is worth asking for a session, and the language of code samples. Never a token.

// Of a sign-in with a provider in this tab, and of the last one in any tab.
const STARTED = 'sign-in started';
const SIGNED_IN = 'signed in at';
const LANGUAGE = 'language of code';

export const noteSignIn = () => ifAllowed(() => localStorage.setItem(SIGNED_IN, Date.now()));
export const forgetSignIn = () => ifAllowed(() => localStorage.removeItem(SIGNED_IN));
export const mayBeSignedIn = () => ifAllowed(() => localStorage.getItem(SIGNED_IN)) ?? false;
export const noteLanguage = (name) => ifAllowed(() => localStorage.setItem(LANGUAGE, name));
export const notedLanguage = () => ifAllowed(() => localStorage.getItem(LANGUAGE));
export const noteStart = () => ifAllowed(() => sessionStorage.setItem(STARTED, 'yes'));

/** Has the web app forget the account whose session, which is in the cookie of both, has ended: its open tabs, and its name. */
export function endAppSession() {
  ifAllowed(() => localStorage.removeItem('user'));
  ifAllowed(() => {
    const tabs = new BroadcastChannel('session');
    tabs.postMessage({ ended: true });
    tabs.close();
  });
}

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

// A browser may forbid storage.
function ifAllowed(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}
