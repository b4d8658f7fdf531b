import type { CatalogueParts } from '../../catalogue/parts.ts';
import type { ChosenQuery } from '../../catalogue/restaurants/input.ts';
import { choiceOf } from '../../catalogue/restaurants/reads.ts';
import { type RequestContext, authorIdOf, idInPath, writeChecked } from '../../http/context.ts';
import { badRequest, conflict, forbidden, notFound, requireFound, requireValid } from '../../http/errors.ts';
import { BY_ID, pageReply } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import { FOR_USER, type Route } from '../../http/router.ts';
import { parsePagePart } from '../../kit/input/query.ts';
import type { Sealer } from '../../kit/input/sealed.ts';
import { DAY_MS } from '../../kit/time.ts';
import type { AccountParts } from '../accounts/sign-in.ts';
import { isOwner } from '../lists/record.ts';
import type { ListStore } from '../lists/store.ts';
import type { Ballot } from './decision.ts';
import { parseBallot, parseNewOuting } from './input.ts';
import { proposals } from './proposal.ts';
import type { Outing, PlaceThen, Voter } from './record.ts';
import {
  MOST_AT_ADDRESS,
  MOST_OPEN,
  MOST_PARTICIPANTS,
  MOST_STARTED,
  MOST_WITH_GUESTS,
  type Outings,
  type Voting,
} from './store.ts';

interface OutingParts extends Pick<AccountParts, 'transactions'> {
  readonly outings: Outings;
  readonly lists: ListStore;
  readonly cursors: Sealer;
}

// A place that was visited this recently is proposed last.
const LATELY_DAYS = 30;
const REFUSALS = {
  unknownSecret: forbidden('Unknown secret'),
  nameMissing: badRequest('name is required'),
  notAnOption: badRequest('choices and veto must be of the options'),
  nameTaken: conflict('name already exists'),
  tooMany: conflict(`An outing has at most ${MOST_PARTICIPANTS} participants`),
  tooManyGuests: conflict(
    `The last ${MOST_PARTICIPANTS - MOST_WITH_GUESTS} places are for people with an account`,
  ),
  tooManyAtAddress: conflict(`An outing has at most ${MOST_AT_ADDRESS} guests from one address`),
};
const ENDED = conflict('Voting has ended');

/** `/api/outings`, for those who take part. */
export function outingRoutes(
  { outings, lists, transactions, cursors }: OutingParts,
  { index, views }: CatalogueParts,
): readonly Route[] {
  async function create(context: RequestContext): Promise<Reply> {
    const wanted = requireValid(parseNewOuting(context.body), context);
    const userId = authorIdOf(context);
    const chosen = wanted.from && (await proposed(wanted.from, wanted.at, context));
    return writeChecked({ transactions }, context, () => {
      if (outings.countOpen(userId) >= MOST_OPEN) throw conflict(`At most ${MOST_OPEN} open outings`);
      // Without accounts everyone shares one placeholder.
      if (userId !== null && outings.countStarted(userId) >= MOST_STARTED)
        throw conflict(`You have started ${MOST_STARTED} outings in a year`);
      const places = chosen ?? given(wanted.options, wanted.at);
      const listName = wanted.from ? ownListName(wanted.from, userId) : null;
      const id = outings.create(userId, wanted, places, listName, new Date().toISOString());
      const reply = created(`/api/outings/${id}`, jsonOf(outings.get(id), { userId }));
      // Without the body, which holds the secret address.
      context.storeAnswer({ status: reply.status, headers: reply.headers, kind: 'empty' });
      return reply;
    });
  }

  /** Throws 400 for places that do not exist or are closed at that time. */
  function given(ids: readonly number[], at: string): readonly PlaceThen[] {
    const places = outings.placesThen(ids, at);
    const missing = ids.filter((id) => !places.some((place) => place.id === id));
    const closed = places.filter(({ opening }) => opening.state === 'closed');
    const faults = [
      ...missing.map((id) => `options: there is no restaurant ${id}`),
      ...closed.map(({ name }) => `${name} is closed then`),
    ];
    if (faults.length > 0) throw badRequest(...faults);
    return places;
  }

  /** Rejects with 400 if fewer than two places fit, and with 404 for a list that the caller cannot read. */
  async function proposed(
    from: ChosenQuery,
    at: string,
    context: RequestContext,
  ): Promise<readonly PlaceThen[]> {
    const { own } = await views.open(from, context);
    const since = new Date(Date.now() - LATELY_DAYS * DAY_MS).toISOString().slice(0, 10);
    const visited = outings.visitedSince(authorIdOf(context), since);
    const choice = choiceOf(from, context, Date.now(), own);
    const places = (ids: readonly number[]) => outings.placesThen(ids, at);
    const { options, closed } = await proposals({ index, places, choice, at, near: from.near, visited });
    if (options.length >= 2) return options;
    throw badRequest(`Fewer than two places fit; ${closed} are closed then`);
  }

  /**
   * The name of the list that the caller named, if it is the caller's own; that of another person stays private. Throws 404 if
   * the caller may not read it any more.
   */
  function ownListName({ filters }: ChosenQuery, userId: number | null): string | null {
    const name = filters.find(({ list }) => list !== undefined)?.list;
    if (name === undefined) return null;
    const list = requireFound(lists.find(userId, name), 'List');
    return isOwner(list, userId) ? list.name : null;
  }

  function list(context: RequestContext): Promise<Reply> {
    const userId = authorIdOf(context);
    const part = requireValid(parsePagePart(context.query), context);
    return pageReply(context, part, {
      scope: 'outings',
      cursors,
      keys: BY_ID,
      start: Number.MAX_SAFE_INTEGER,
      read: (before, limit) => outings.ofUser(userId, before, limit),
      total: () => outings.countOfUser(userId),
      render: (outing) => jsonOf(outing, { userId }),
    });
  }

  const get = (context: RequestContext): Reply => ok(jsonOf(found(context), callerOf(context)));

  function close(context: RequestContext): Promise<Reply> {
    return writeChecked({ transactions }, context, () => {
      const outing = ownOuting(context);
      if (outing.state === 'cancelled') throw conflict('The outing is cancelled');
      const closed = outings.close(outing, new Date().toISOString());
      return ok(jsonOf(closed, callerOf(context)));
    });
  }

  function cancel(context: RequestContext): Promise<Reply> {
    return writeChecked({ transactions }, context, () => {
      outings.cancel(ownOuting(context), new Date().toISOString());
      return noContent();
    });
  }

  function vote(context: RequestContext): Promise<Reply> {
    const ballot = requireValid(parseBallot(context.body), context);
    return writeChecked({ transactions }, context, () => {
      const outing = found(context);
      const voted = storeBallot(outings, outing, callerOf(context), ballot);
      return ok(jsonOf(voted, callerOf(context)));
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'participant', 'participant');
    return writeChecked({ transactions }, context, () => {
      const outing = ownOuting(context);
      if (outing.state !== 'open') throw ENDED;
      if (!outings.removeVoter(outing, id)) throw notFound('Participant');
      return noContent();
    });
  }

  function jsonOf(outing: Outing | undefined, voter: Voter | undefined): object {
    if (!outing) throw new Error('an outing is gone within its own transaction');
    return outings.json(outing, voter);
  }

  function callerOf(context: RequestContext): { readonly userId: number | null } {
    return { userId: authorIdOf(context) };
  }

  /** The outing of the path, for those who take part. */
  function found(context: RequestContext): Outing {
    const outing = outings.get(idInPath(context.parameters, 'id', 'outing'));
    if (!outing || !outings.voter(outing, callerOf(context))) throw notFound('Outing');
    return outing;
  }

  function ownOuting(context: RequestContext): Outing {
    const outing = found(context);
    if (outing.author_id !== authorIdOf(context)) throw forbidden('Only its creator may do this');
    return outing;
  }

  const user = { ...FOR_USER, answers: 'secret' } as const;
  const read = { ...user, method: 'GET', body: 'none' } as const;
  const make = { ...FOR_USER, method: 'POST', body: 'json' } as const;
  const end = { ...user, method: 'POST', body: 'jsonOrEmpty' } as const;
  const put = { ...user, method: 'PUT', body: 'json' } as const;
  const [all, one] = ['/api/outings', '/api/outings/:id'];
  return [
    { ...read, pattern: all, operationId: 'listOutings', handle: list },
    { ...make, pattern: all, operationId: 'createOuting', handle: create },
    { ...read, pattern: one, operationId: 'getOuting', handle: get },
    { ...read, method: 'DELETE', pattern: one, operationId: 'cancelOuting', handle: cancel },
    { ...end, pattern: `${one}/close`, operationId: 'closeOuting', handle: close },
    { ...put, pattern: `${one}/ballot`, operationId: 'vote', handle: vote },
    {
      ...read,
      method: 'DELETE',
      credentials: ['session'],
      pattern: `${one}/participants/:participant`,
      operationId: 'removeParticipant',
      handle: remove,
    },
  ];
}

/** Returns the outing with the ballot. Throws the reason why it cannot be stored. */
export function storeBallot(outings: Outings, outing: Outing, voter: Voting, ballot: Ballot): Outing {
  if (outing.state !== 'open') throw ENDED;
  const refusal = outings.vote(outing, voter, ballot);
  if (refusal) throw REFUSALS[refusal];
  return outings.get(outing.id) ?? outing;
}
