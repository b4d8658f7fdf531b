import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Variables, configOf, faultsOf } from '../support/settings.ts';

describe('the configuration of the change log', () => {
  const right: readonly (readonly [Variables, readonly [number, number, boolean]])[] = [
    [{}, [30, 365, true]],
    [{ TRASH_DAYS: '0', CHANGE_LOG_DAYS: '1', AUTHORS: 'none' }, [0, 1, false]],
    [{ TRASH_DAYS: '3650', CHANGE_LOG_DAYS: '36500', AUTHORS: 'usernames' }, [3_650, 36_500, true]],
    [{ TRASH_DAYS: '365' }, [365, 365, true]],
  ];
  for (const [environment, expected] of right)
    test(`takes ${JSON.stringify(environment)}`, () => {
      const { trashDays, changeLogDays, showsAuthors } = configOf(environment).history;
      assert.deepEqual([trashDays, changeLogDays, showsAuthors], expected);
    });

  const isLess = (days: number): string =>
    `CHANGE_LOG_DAYS must not be less than TRASH_DAYS (${days}): a deletion is undone by its change`;
  const wrong: readonly (readonly [Variables, string])[] = [
    [{ TRASH_DAYS: '-1' }, 'TRASH_DAYS must be an integer from 0 to 3650, not "-1"'],
    [
      { TRASH_DAYS: '3651', CHANGE_LOG_DAYS: '9999' },
      'TRASH_DAYS must be an integer from 0 to 3650, not "3651"',
    ],
    [{ TRASH_DAYS: 'ever' }, 'TRASH_DAYS must be an integer from 0 to 3650, not "ever"'],
    [
      { TRASH_DAYS: '0', CHANGE_LOG_DAYS: '0' },
      'CHANGE_LOG_DAYS must be an integer from 1 to 36500, not "0"',
    ],
    [{ CHANGE_LOG_DAYS: '36501' }, 'CHANGE_LOG_DAYS must be an integer from 1 to 36500, not "36501"'],
    [{ CHANGE_LOG_DAYS: '29' }, isLess(30)],
    [{ TRASH_DAYS: '366' }, isLess(366)],
    [{ AUTHORS: 'all' }, 'AUTHORS must be one of usernames, none, not "all"'],
  ];
  for (const [environment, fault] of wrong)
    test(`refuses ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(faultsOf(environment), [fault]);
    });
});
