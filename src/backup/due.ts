/**
 * The last moment up to `now` at which a clock on the wall showed this minute of the day, in milliseconds since 1970.
 * Where the clock skips that minute in spring, an hour later counts; where it shows it twice in autumn, the first time.
 */
export function lastScheduled(now: Date, minuteOfDay: number): number {
  const at = (daysBack: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack, 0, minuteOfDay).getTime();
  const today = at(0);
  return today <= now.getTime() ? today : at(1);
}

/**
 * Whether a backup should be made: none was begun since the last scheduled moment. `made` are the moments of the
 * backups that there are; those in the future were named by a clock that was wrong, and do not count.
 */
export function isDue(made: readonly number[], now: Date, minuteOfDay: number): boolean {
  const scheduled = lastScheduled(now, minuteOfDay);
  return !made.some((moment) => moment >= scheduled && moment <= now.getTime());
}
