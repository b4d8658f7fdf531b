import type { PublicAnswers } from '../catalogue/public-answers.ts';
import type { Config } from '../config/config.ts';
import { MAX_BODY_BYTES } from '../http/body.ts';
import type { Route } from '../http/router.ts';
import { readVersion } from '../kit/version.ts';
import type { Links } from '../people/links/links.ts';
import { loadRenderer, manualRoutes } from './documentation/manual-routes.ts';
import { documentationRoutes } from './documentation/routes.ts';
import { Documents } from './pages/documents.ts';
import { MAP_PATH, pageRoutes } from './pages/routes.ts';
import { webAppRoutes } from './pages/web-app-routes.ts';

// As the providers' terms require.
const MAPS_ATTRIBUTIONS = { google: 'Google Maps', nominatim: '© OpenStreetMap contributors' };

/** Everything that browsers load. */
export interface Pages {
  /** The documentation, and the facts and files that pages load. */
  readonly routes: readonly Route[];
  /** The web app and the manual, which the API description omits. */
  readonly webApp: readonly Route[];
  /** Loads what is otherwise loaded with the first page. */
  readonly loadAhead: () => Promise<unknown>;
}

/**
 * Reads the files of all pages. Rejects if one is missing. `report` is called with the reason why a page of the web app
 * is sent without its data.
 */
export async function createPages(
  config: Config,
  answers: PublicAnswers,
  links: Links,
  report: (error: unknown) => void,
): Promise<Pages> {
  const appConfig = appConfigOf(config);
  const { auth_mode: authMode, registration, providers } = appConfig;
  const { name, currencySign, tiles } = config.pages;
  const documentation = documentationRoutes({ authMode, registration, providers: providers.join(' ') });
  const documents = new Documents(answers, links, appConfig, report);
  const mapFile = tiles.kind === 'pmtiles' ? tiles.file : undefined;
  const tileOrigin = 'template' in tiles ? new URL(tiles.template).origin : undefined;
  return {
    loadAhead: () => Promise.all([loadRenderer(), documentation.loadAhead()]),
    routes: [...documentation.routes, ...pageRoutes(appConfig, mapFile)],
    webApp: [
      ...(await webAppRoutes({ name, currencySign, tileOrigin, documents })),
      ...manualRoutes(documentation.assets),
    ],
  };
}

/** Public facts about the service that a page needs before anyone signs in: the AppConfig of swagger.yaml. */
function appConfigOf({ auth, maps, operations, history, pages }: Config) {
  return {
    name: pages.name,
    version: readVersion(),
    auth_mode: auth.mode,
    registration: auth.registration,
    write_access: auth.adminsOnly ? 'admins' : 'users',
    // Those that can be used to sign in: a replica refuses sign-ins.
    providers: (['idp', 'oidc'] as const).filter((name) => auth[name] !== undefined && !operations.readOnly),
    read_only: operations.readOnly,
    primary_url: operations.primaryUrl ?? null,
    maps: maps
      ? { provider: maps.provider, attribution: MAPS_ATTRIBUTIONS[maps.provider] }
      : { provider: 'none', attribution: null },
    tiles: tilesOf(pages.tiles),
    trash_days: history.trashDays,
    max_body_bytes: MAX_BODY_BYTES,
  };
}

/**
 * Tiles that a reader must first agree to are an `offer` next to the kind `none`, so that clients that do not know offers load
 * nothing from other hosts.
 */
function tilesOf(tiles: Config['pages']['tiles']) {
  const none = { kind: 'none', url: null, attribution: null, offer: null };
  if (tiles.kind === 'none') return none;
  const { kind, attribution } = tiles;
  const url = kind === 'pmtiles' ? MAP_PATH : tiles.template;
  return kind === 'ask' ? { ...none, offer: { url, attribution } } : { kind, url, attribution, offer: null };
}
