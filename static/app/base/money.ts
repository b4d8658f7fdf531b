/** Amounts of money, which the API has in the smallest unit of their currency (ISO 4217). */

import { inLanguage } from './texts.js';

const tag = inLanguage((one) => one);
const formatOf = (currency: string) => new Intl.NumberFormat(tag(), { style: 'currency', currency });

function digitsOf(currency: string) {
  try {
    return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** An amount as people read it. */
export const money = (minor: number, currency: string) =>
  formatOf(currency).format(minor / 10 ** digitsOf(currency));

/** An amount as it stands in a field. */
export const amountText = (minor: number, currency: string) =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** What was typed, with a point or a comma, in the smallest unit; undefined where it is no amount. */
export function minorOf(text: string, currency: string) {
  const match = /^(\d{1,13})(?:[.,](\d{1,3}))?$/.exec(text.replaceAll(/\s/g, ''));
  const digits = digitsOf(currency);
  const [, whole = '', part = ''] = match ?? [];
  return match && part.length <= digits ? Number(whole + part.padEnd(digits, '0')) : undefined;
}
