const DAYS = [
  'Mo-Su',
  'Mo-Su',
  'Mo-Sa',
  'Tu-Su',
  'Tu-Sa',
  'We-Su',
  'Mo-Fr',
  'Mo-Th,Su',
  'Mo,We-Su',
  'Mo-Fr,Su',
];
const MINUTES = ['00', '00', '30', '15', '45'];
const SHARE_WITHOUT = 5;
const EVERY_SEASON = 8;
const EVERY_UNREAD = 40;

/** Opening hours of some ten thousand kinds, in the shares that restaurants have; null for one of five. */
export function hoursOf(random: () => number): string | null {
  const below = (count: number): number => Math.floor(random() * count);
  const oneOf = (values: readonly string[]): string => values[below(values.length)] ?? '';
  const time = (hour: number, hours: number): string =>
    `${String(hour + below(hours)).padStart(2, '0')}:${oneOf(MINUTES)}`;
  if (below(SHARE_WITHOUT) === 0) return null;
  if (below(EVERY_UNREAD) === 0) return `Mo-Sa ${time(9, 4)}-sunset`;
  const lunch = `${time(11, 2)}-${time(14, 2)}`;
  const dinner = `${time(17, 3)}-${below(3) === 0 ? time(0, 3) : time(21, 3)}`;
  const times =
    [`${lunch},${dinner}`, `${lunch},${dinner}`, dinner, `${time(7, 5)}-${time(15, 9)}`][below(4)] ?? '';
  const usual = `${oneOf(DAYS)} ${times}`;
  const weekend = below(2) === 0 ? `; Sa ${dinner}` : '';
  const rest = oneOf(['', '', '; Su off', '; PH off', '; Mo off']);
  const season =
    below(EVERY_SEASON) === 0 ? oneOf(['; Dec 24-26 off', '; Nov-Mar Mo,Tu off', '; Aug 1-15 off']) : '';
  return usual + weekend + rest + season;
}
