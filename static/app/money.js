/** Amounts of money, which the API has in the smallest unit of their currency (ISO 4217). */

/** @param {string} currency */
function digitsOf(currency) {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    return maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/**
 * An amount as people read it.
 * @param {number} minor
 * @param {string} currency
 */
export const money = (minor, currency) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(minor / 10 ** digitsOf(currency));

/**
 * An amount as it stands in a field.
 * @param {number} minor
 * @param {string} currency
 */
export const amountText = (minor, currency) => (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/**
 * What was typed, with a point or a comma, in the smallest unit; undefined where it is no amount.
 * @param {string} text
 * @param {string} currency
 */
export function minorOf(text, currency) {
  const match = /^(\d{1,13})(?:[.,](\d{1,3}))?$/.exec(text.replaceAll(/\s/g, ''));
  const digits = digitsOf(currency);
  const [, whole = '', part = ''] = match ?? [];
  return match && part.length <= digits ? Number(whole + part.padEnd(digits, '0')) : undefined;
}
