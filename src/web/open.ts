import type { Config } from '../config/config.ts';
import { madeOnce, readAssets, readStatic, toJson } from './documentation/files.ts';
import { loadRenderer, manualRoutes } from './documentation/manual-routes.ts';
import { documentationRoutes } from './documentation/routes.ts';
import { MAX_BODY_BYTES } from '../http/body.ts';
import type { Route } from '../http/router.ts';
import { type AppConfig, MAP_PATH, pageRoutes } from './pages/routes.ts';
import { webAppRoutes } from './pages/web-app-routes.ts';
import { readVersion } from '../kit/version.ts';

// In the words that the terms of the providers ask for.
const MAPS_ATTRIBUTIONS = { google: 'Google Maps', nominatim: '© OpenStreetMap contributors' };

/** All that browsers load. */
export interface Pages {
  /** The documentation, and what pages need to know and load. */
  readonly routes: readonly Route[];
  /** The web app and the manual, which are no part of the API that the documentation describes. */
  readonly webApp: readonly Route[];
  /** Loads what is only needed when a page is first asked for. */
  readonly loadAhead: () => Promise<unknown>;
}

/** Reads the files of all pages. Rejects when one is missing. */
export async function createPages(config: Config): Promise<Pages> {
  const appConfig = appConfigOf(config);
  const { auth_mode: authMode, registration, providers, name } = appConfig;
  const { tiles } = config.pages;
  const assets = readAssets();
  const yaml = readStatic('swagger.yaml');
  const json = madeOnce(() => toJson(yaml));
  return {
    loadAhead: () => Promise.all([loadRenderer(), json()]),
    routes: [
      ...documentationRoutes(assets, { authMode, registration, providers }, { yaml, json }),
      ...pageRoutes({ appConfig, mapFile: tiles.kind === 'pmtiles' ? tiles.file : undefined }),
    ],
    webApp: [
      ...(await webAppRoutes({
        name,
        tileOrigin: tiles.kind === 'raster' ? new URL(tiles.template).origin : undefined,
      })),
      ...manualRoutes(assets),
    ],
  };
}

function appConfigOf({ auth, maps, operations, history, pages }: Config): AppConfig {
  return {
    name: pages.name,
    version: readVersion(),
    auth_mode: auth.mode,
    registration: auth.registration,
    write_access: auth.adminsOnly ? 'admins' : 'users',
    // A replica refuses sign-ins.
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

function tilesOf(tiles: Config['pages']['tiles']): AppConfig['tiles'] {
  const { kind } = tiles;
  if (kind === 'none') return { kind, url: null, attribution: null };
  return { kind, url: kind === 'pmtiles' ? MAP_PATH : tiles.template, attribution: tiles.attribution };
}
