/** What every answer has, and some replace by a policy of their own (RELIABILITY, rule 18). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The same where the service ends TLS itself: browsers are not to come without it for a year. */
export const SECURITY_HEADERS_OVER_TLS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'Strict-Transport-Security': 'max-age=31536000',
};
