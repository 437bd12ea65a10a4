import type { Examples } from '../help.ts';

export const examples: Examples = {
  'create cluster': [
    'okra create cluster blue --region eu-central-1 --labels env=prod',
    'okra create cluster blue --endpoint https://blue.example.com --ca-data "$(base64 -w0 ca.pem)"',
  ],
  'create analysisrun': ['okra create analysisrun --template-name success-rate --args service-name=web'],
  'delete cluster': ['okra delete cluster blue', 'okra delete cluster blue --dry-run'],
  'get cluster': ['okra get cluster', 'okra get cluster -l env=prod -o json'],
  'get awstargetgroups': ['okra get awstargetgroups -l role=web'],
  'get latestawstargetgroups': [
    'okra get latestawstargetgroups -l role=web',
    'okra get latestawstargetgroups -l role=web --version 1.9.0 -o name',
  ],
  'get targetgroupbindings': ['okra get targetgroupbindings --cluster-name blue'],
  'sync clusterset': [
    'okra sync clusterset blue',
    'okra sync clusterset --eks-tags Service=demo --labels service=demo --dry-run',
  ],
  'sync awstargetgroupset': [
    'okra sync awstargetgroupset web',
    'okra sync awstargetgroupset --cluster-name blue',
  ],
  'sync awstargetgroupbinding': ['okra sync awstargetgroupbinding web'],
  'sync awstargetgroups': ['okra sync awstargetgroups -n shop'],
  'sync awsnetworkloadbalancerconfig': ['okra sync awsnetworkloadbalancerconfig tcp'],
  'sync awsapplicationloadbalancerconfig': [
    'okra sync awsapplicationloadbalancerconfig web',
    'okra sync awsapplicationloadbalancerconfig --listener-arn $LISTENER --listener-rule-priority 10 --target-group-1-arn $TG --target-group-1-weight 100',
  ],
  'sync cell': [
    'okra sync cell web                       # one pass',
    'okra sync cell web --wait --timeout 1h   # to the end of the rollout',
    'okra sync cell web --request abort --reason "errors"',
  ],
  'sync check': ['okra sync check errors', 'okra sync check errors --wait --timeout 15m'],
  'upsert awstargetgroupset': [
    'okra upsert awstargetgroupset web --cluster-selector role=web --labels role=web',
  ],
  'upsert cell': [
    'okra upsert cell web --listener-arn $LISTENER --match-label role=web --canary-steps weight=20,pause=5m,weight=50,pause',
  ],
  'upsert targetgroupbinding': [
    'okra upsert targetgroupbinding web --cluster-name blue --target-group-arn $TG',
  ],
  'run analysis': [
    'okra run analysis r1 --template-name success-rate --args service-name=web --wait --timeout 15m',
  ],
  options: ['okra options'],
  version: ['okra version'],
};
