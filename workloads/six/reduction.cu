// grid-stride load + shared-memory tree, 256 threads per block, 2 passes
extern "C" __global__ void reduction(const float*in,float*out,int n){
  __shared__ float s[256]; int t=threadIdx.x; float v=0.f;
  for(int i=blockIdx.x*blockDim.x+t;i<n;i+=gridDim.x*blockDim.x) v+=in[i];
  s[t]=v; __syncthreads();
  for(int d=128;d>0;d>>=1){ if(t<d) s[t]+=s[t+d]; __syncthreads(); }
  if(t==0) out[blockIdx.x]=s[0];
}
