import { define } from '../base/texts.js';

/** Texts of the sign-in, of invitations and of links for a new password. */
export const words = define({
  signIn: 'Sign in',
  create: 'Create an account',
  entering: 'One moment',
  email: 'Email',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 8 characters',
  name: 'Name',
  nameHint: 'As others see it',
  wrong: 'Email or password is wrong.',
  or: 'or',
  noAccount: 'No account yet?',
  hasAccount: 'You have an account?',
  byInvitation: 'New accounts are made by invitation: ask an administrator for a link.',
  providers: { idp: 'Sign in with your provider', oidc: 'Sign in with OpenID Connect' },
  providerFaults: {
    access_denied: 'The sign-in was cancelled or refused.',
    provider_unavailable: 'The provider does not answer. Try again later.',
    account_exists: 'There is an account with this email already. Sign in with its password.',
    account_disabled: 'This account is disabled. Ask an administrator.',
    email_required: 'The provider did not tell a valid email address.',
    registration_closed:
      'There is no account for you here, and new ones are by invitation or not made at all.',
    other: 'The sign-in did not work. Try again.',
  },
  join: 'Join',
  joinTitle: (name: string) => `Join ${name}`,
  resetTitle: 'Choose a new password',
  change: 'Change password',
  changed: 'Password changed. Sign in with it.',
  usedInvitation: 'This invitation was used before, or its time is over. Ask for a new one.',
  usedReset: 'This link was used before, or its time is over. Ask an administrator for a new one.',
  noLink: 'Open the link that you were sent once more: the secret in it is not kept.',
  noAccounts: 'Nobody needs an account here.',
  alreadyIn: (name: string) =>
    `You are signed in as ${name}. Sign out in Settings to use this link for another account.`,
  goOn: 'To the places',
});
