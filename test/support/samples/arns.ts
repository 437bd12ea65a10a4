const ARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333';

/** The ARN of a listener of an Application Load Balancer. */
export const listenerARN = `${ARN}:listener/app/demo/0123456789abcdef/0123456789abcdef`;

/** The ARN of a target group of this name. */
export const groupARN = (name: string): string => `${ARN}:targetgroup/${name}/0123456789abcdef`;

/** The ARN of a listener of a Network Load Balancer. */
export const networkListenerARN = listenerARN.replace('/app/', '/net/');
