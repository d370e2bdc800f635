/** Single-use links that open the dashboard, signed in (D36). */
import type { DashboardLinks } from '../../adapters/mongo/session/dashboard-links.ts';
import type { Environment } from '../../core/resource/environment.ts';
import type { Permission } from '../../core/token/permission.ts';
import { PERMISSIONS, withDeliveryParts } from '../../core/token/permission.ts';
import { LINK_MAX_SECONDS, type Session } from '../../core/member/session.ts';

type LinkRequest = {
  accountId: string;
  environment: Environment;
  /** All permissions when absent. */
  permissions?: readonly Permission[];
  /** The token that asks; absent for the operator of the platform. */
  tokenId?: string | null;
  /** The person to whom the token or session that asks belongs; absent for none. */
  memberId?: string | undefined;
  /** The session that asks, with which the new one ends at the latest. */
  session?: Pick<Session, 'id' | 'user' | 'expires_at'>;
  /** 1 to {@link LINK_MAX_SECONDS}, which is the default. */
  expiresInSeconds?: number;
};

/** Creates single-use links. `code` is the fragment of the URL, see `dashboardUrl`. */
export const createDashboardLink =
  (links: Pick<DashboardLinks, 'insert'>) =>
  async (request: LinkRequest, now: Date): Promise<{ code: string; expiresAt: Date }> => {
    const seconds = Math.min(request.expiresInSeconds ?? LINK_MAX_SECONDS, LINK_MAX_SECONDS);
    const expiresAt = new Date(now.getTime() + seconds * 1_000);
    const code = await links.insert({
      account_id: request.accountId,
      environment: request.environment,
      permissions: withDeliveryParts(request.permissions ?? PERMISSIONS),
      token_id: request.tokenId ?? null,
      member_id: request.memberId ?? null,
      session_id: request.session?.id ?? null,
      user: request.session?.user ?? null,
      session_expires_at: request.session?.expires_at ?? null,
      expires_at: expiresAt,
    });
    return { code, expiresAt };
  };
