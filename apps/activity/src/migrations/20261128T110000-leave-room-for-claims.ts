import { LeaveRoomForClaims } from '#events';

/** Leaves space in the pages of the outbox for the claims of its rows. */
export class LeaveRoomForActivityClaims extends LeaveRoomForClaims {
  readonly name = 'LeaveRoomForActivityClaims1795863600000';
}
