import { LeaveRoomForClaims } from '#events';

/** Leaves space in the pages of the outbox for the claims of its rows. */
export class LeaveRoomForSocialClaims extends LeaveRoomForClaims {
  readonly name = 'LeaveRoomForSocialClaims1795863600000';
}
