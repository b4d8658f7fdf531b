import { parseRegistration } from './input.ts';
import type { SignInOptions } from './sign-in.ts';

/** The first administrator cannot be made of what was set; the message says why. */
export class AdministratorError extends Error {
  override readonly name = 'AdministratorError';
}

export interface AdministratorOptions extends Pick<SignInOptions, 'users' | 'passwords' | 'transactions'> {
  readonly warn: (message: string) => void;
}

/**
 * Makes the administrator of ADMIN_EMAIL and ADMIN_PASSWORD when the email has no account. An account that is there
 * is never changed. Rejects with an AdministratorError when the two break the rules of an account.
 */
export async function createAdministrator(
  { email, password }: { readonly email: string; readonly password: string },
  { users, passwords, transactions, warn }: AdministratorOptions,
): Promise<void> {
  const existing = users.findByEmail(email)?.user;
  if (existing?.is_admin === false)
    warn('ADMIN_EMAIL has an account that is no administrator; to make it one: catalogue user grant-admin');
  if (existing) return;
  const [localPart = ''] = email.split('@');
  const parsed = parseRegistration({ email, username: localPart, password });
  if (!parsed.ok) throw new AdministratorError(`ADMIN_EMAIL and ADMIN_PASSWORD: ${parsed.faults.join('; ')}`);
  const passwordHash = await passwords.hash(password);
  await transactions.write(() => {
    const username = users.freeUsername(parsed.value.username);
    // The operator, who sets the environment, vouches for the address.
    const input = { email, username, fullName: null, passwordHash, isAdmin: true, emailVerified: true };
    users.create(input, new Date().toISOString());
  });
}
