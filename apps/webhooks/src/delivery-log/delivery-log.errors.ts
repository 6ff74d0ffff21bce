import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const deliveryNotFound = (deliveryId: number): DomainError =>
  new DomainError(problems['webhook-delivery.not-found'], `Webhook delivery ${deliveryId} does not exist.`);

export const deliveryPending = (deliveryId: number): DomainError =>
  new DomainError(
    problems['webhook-delivery.pending'],
    `Webhook delivery ${deliveryId} is pending. Its next attempt is already scheduled.`,
  );
